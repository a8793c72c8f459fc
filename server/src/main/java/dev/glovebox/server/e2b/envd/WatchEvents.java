package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.WatchEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What happens in a directory, in the words of E2B's clients.
final class WatchEvents {
    private static final String CREATE = "EVENT_TYPE_CREATE";

    private final GuestPath directory;
    private final boolean hasEntries;
    private final FileAccess access;

    /// Events of a directory.
    ///
    /// @param directory the one that is watched, without links in its path
    /// @param hasEntries whether events tell what the file is then
    WatchEvents(GuestPath directory, boolean hasEntries, FileAccess access) {
        this.directory = directory;
        this.hasEntries = hasEntries;
        this.access = access;
    }

    FileAccess access() {
        return access;
    }

    /// What a client is told of one event: none, one, or the two of a file that has another name.
    ///
    /// @throws ConnectFailure RESOURCE_EXHAUSTED if events are missing
    List<Map<String, Object>> of(EnvdCall call, WatchEvent event) {
        List<Map<String, Object>> told = new ArrayList<>(2);
        switch (event.kind()) {
            case CREATE -> told.add(message(call, event.path(), CREATE, true));
            case WRITE -> told.add(message(call, event.path(), "EVENT_TYPE_WRITE", true));
            case REMOVE -> told.add(message(call, event.path(), "EVENT_TYPE_REMOVE", false));
            case ATTRIBUTES -> told.add(message(call, event.path(), "EVENT_TYPE_CHMOD", true));
            case RENAME -> {
                told.add(message(call, event.path(), "EVENT_TYPE_RENAME", false));
                told.add(message(call, event.target(), CREATE, true));
            }
            case OVERFLOW ->
                throw new ConnectFailure(
                        ConnectCode.RESOURCE_EXHAUSTED,
                        "so much happened that events were lost: list the directory, and watch it again");
        }
        return told;
    }

    private Map<String, Object> message(EnvdCall call, String path, String type, boolean isThere) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("name", nameOf(path));
        message.put("type", type);
        Object entry = hasEntries && isThere ? entry(call, path) : null;
        if (entry != null) {
            message.put("entry", entry);
        }
        return message;
    }

    private @Nullable Object entry(EnvdCall call, String text) {
        LinkWalk links = new LinkWalk(call, access);
        GuestPath path = new GuestPath(text);
        return links.look(path).map(entry -> FileInfos.of(path, entry, links)).orElse(null);
    }

    private String nameOf(String path) {
        String prefix = directory.value().endsWith("/") ? directory.value() : directory.value() + "/";
        return path.startsWith(prefix) ? path.substring(prefix.length()) : path;
    }
}
