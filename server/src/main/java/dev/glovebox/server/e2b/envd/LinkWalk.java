package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Follows symbolic links inside a sandbox, part by part as its kernel does, by asking for each part: the calls about
/// files do not follow the last link. What it finds can change at once; it serves to tell, never to protect. For one
/// request: what it has seen it does not ask for again.
final class LinkWalk {
    /// A guest can make links of links that take a lot of asking.
    private static final int ASKED_MAX = 50_000;

    private static final int SEEN_MAX = 4_000;

    private final EnvdCall call;
    private final FileAccess access;
    private final Map<GuestPath, Optional<FileEntry>> seen = new HashMap<>();
    private int asked;

    LinkWalk(EnvdCall call, FileAccess access) {
        this.call = call;
        this.access = access;
    }

    /// A file as it is, a link as a link; empty if there is none.
    Optional<FileEntry> look(GuestPath path) {
        Optional<FileEntry> found = ask(path);
        remember(path, found);
        return found;
    }

    /// The same without its attributes, from memory if it was seen before.
    private Optional<FileEntry> glance(GuestPath path) {
        Optional<FileEntry> known = seen.get(path);
        return known != null ? known : remember(path, ask(path));
    }

    private Optional<FileEntry> remember(GuestPath path, Optional<FileEntry> found) {
        Optional<FileEntry> slim = found.map(entry -> new FileEntry(
                entry.path(), entry.type(), entry.sizeBytes(), entry.mode(), entry.modified(), entry.linkTarget()));
        if (seen.size() >= SEEN_MAX) {
            seen.clear();
        }
        seen.put(path, slim);
        return slim;
    }

    private Optional<FileEntry> ask(GuestPath path) {
        asked++;
        if (asked > ASKED_MAX) {
            throw new ConnectFailure(
                    ConnectCode.RESOURCE_EXHAUSTED,
                    "following the symbolic links here takes more than " + ASKED_MAX
                            + " looks, the bound: list less at once");
        }
        try {
            return Optional.of(call.execute(new Command.StatFile(call.target().id(), path, access)));
        } catch (GloveboxException e) {
            if (e.code() == ErrorCode.FILE_NOT_FOUND || e.code() == ErrorCode.WRONG_FILE_TYPE) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /// What a path leads to, under the name that it has there.
    record Real(GuestPath path, FileEntry entry) {}

    /// Follows all links of a path.
    ///
    /// @return empty if it leads nowhere, or in circles
    Optional<Real> follow(GuestPath path) {
        Optional<FileEntry> direct = glance(path);
        if (direct.isPresent() && direct.get().type() != FileEntry.Type.SYMLINK) {
            return direct.map(entry -> new Real(path, entry));
        }
        return direct.isEmpty() ? Optional.empty() : walk(path);
    }

    private Optional<Real> walk(GuestPath path) {
        Deque<String> left = new ArrayDeque<>(parts(path.value()));
        GuestPath at = GuestPath.ROOT;
        int links = 0;
        while (!left.isEmpty()) {
            String part = left.removeFirst();
            GuestPath next = GuestPath.resolve(at, part);
            FileEntry entry = glance(next).orElse(null);
            if (entry == null) {
                return Optional.empty();
            }
            if (entry.type() != FileEntry.Type.SYMLINK) {
                at = next;
                continue;
            }
            links++;
            if (links > Limits.SYMLINK_DEPTH_MAX || left.size() > Limits.PATH_BYTES_MAX) {
                return Optional.empty();
            }
            List<String> target = parts(entry.linkTarget());
            for (int i = target.size() - 1; i >= 0; i--) {
                left.addFirst(target.get(i));
            }
            at = entry.linkTarget().startsWith("/") ? GuestPath.ROOT : at;
        }
        GuestPath end = at;
        return glance(end).map(entry -> new Real(end, entry));
    }

    private static List<String> parts(String path) {
        return List.of(path.split("/", -1)).stream()
                .filter(part -> !part.isEmpty())
                .toList();
    }
}
