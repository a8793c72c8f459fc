package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.core.Limits;
import dev.glovebox.wire.e2b.FileInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `filesystem.Filesystem`: what is in a sandbox's file system, and what happens there. Works with root's rights inside
/// the sandbox, as E2B's clients expect; what it makes belongs to the user. Thread-safe.
final class FilesystemService {
    private final WatcherPool watchers = new WatcherPool();

    /// What every call needs.
    private record Place(EnvdCall call, FileAccess access, GuestPath path, LinkWalk links) {
        static Place of(EnvdCall call, String path) {
            GuestUser user = call.user();
            FileAccess access = EnvdCall.access(user);
            return new Place(call, access, call.path(path, user), new LinkWalk(call, access));
        }

        FileInfo info() {
            return FileInfos.of(path, links.look(path).orElseThrow(this::notFound), links);
        }

        /// What the path leads to, if that is a directory.
        GuestPath directory() {
            LinkWalk.Real real = links.follow(path).orElseThrow(this::notFound);
            if (real.entry().type() != FileEntry.Type.DIRECTORY) {
                throw ConnectFailure.invalid("path is not a directory: " + path);
            }
            return real.path();
        }

        ConnectFailure notFound() {
            return new ConnectFailure(ConnectCode.NOT_FOUND, "path not found: " + path);
        }
    }

    void stat(EnvdCall call) {
        Connect.unary(
                call,
                message -> Map.of("entry", Place.of(call, message.text("path")).info()));
    }

    void list(EnvdCall call) {
        Connect.unary(call, message -> {
            Place place = Place.of(call, message.text("path"));
            int depth = depth(message.number("depth").orElse(0));
            GuestPath directory = place.directory();
            List<FileEntry> found = call.execute(
                    new Command.ListDirectory(call.target().id(), directory, place.access(), Math.max(1, depth)));
            List<FileInfo> entries = new ArrayList<>(found.size());
            for (FileEntry entry : found) {
                entries.add(FileInfos.of(below(place.path(), directory, entry.path()), entry, place.links()));
            }
            return Map.of("entries", entries);
        });
    }

    private static int depth(long asked) {
        if (asked < 0 || asked > Limits.DIRECTORY_DEPTH_MAX) {
            throw new ConnectFailure(
                    ConnectCode.INVALID_ARGUMENT,
                    "a depth of " + asked + " is outside 1.." + Limits.DIRECTORY_DEPTH_MAX);
        }
        return Math.toIntExact(asked);
    }

    /// A path in a directory, under the name by which the directory was asked for.
    private static GuestPath below(GuestPath asked, GuestPath directory, String path) {
        return GuestPath.resolve(
                asked, path.substring(directory.value().length()).replaceFirst("^/", ""));
    }

    void makeDirectory(EnvdCall call) {
        Connect.unary(call, message -> {
            Place place = Place.of(call, message.text("path"));
            Optional<LinkWalk.Real> there = place.links().follow(place.path());
            if (there.isPresent()) {
                throw there.get().entry().type() == FileEntry.Type.DIRECTORY
                        ? new ConnectFailure(ConnectCode.ALREADY_EXISTS, "directory already exists: " + place.path())
                        : ConnectFailure.invalid("path already exists but it is not a directory: " + place.path());
            }
            FileEntry made =
                    call.execute(new Command.MakeDirectory(call.target().id(), place.path(), place.access()));
            return Map.of("entry", FileInfos.of(place.path(), made, place.links()));
        });
    }

    void move(EnvdCall call) {
        Connect.unary(call, message -> {
            Place from = Place.of(call, message.text("source"));
            GuestPath to = Place.of(call, message.text("destination")).path();
            try {
                call.execute(new Command.MoveFile(call.target().id(), from.path(), from.access(), to));
            } catch (GloveboxException e) {
                throw e.code() == ErrorCode.FILE_NOT_FOUND ? from.notFound() : e;
            }
            // The answer to a move has no attributes, and they are what a file's metadata is.
            return Map.of("entry", Place.of(call, to.value()).info());
        });
    }

    void remove(EnvdCall call) {
        Connect.unary(call, message -> {
            Place place = Place.of(call, message.text("path"));
            try {
                call.execute(new Command.RemoveFile(call.target().id(), place.path(), place.access()));
            } catch (GloveboxException e) {
                if (e.code() != ErrorCode.FILE_NOT_FOUND) {
                    throw e;
                }
            }
            return Map.of();
        });
    }

    void watch(EnvdCall call) {
        Connect.streaming(call, (message, stream) -> {
            Optional<Duration> timeout = Connect.timeout(call).filter(Duration::isPositive);
            Place place = Place.of(call, message.text("path"));
            GuestPath directory = place.directory();
            WatchEvents events = new WatchEvents(directory, message.flag("includeEntry"), place.access());
            try (DirectoryWatch watch =
                    DirectoryWatch.start(call, directory, place.access(), message.flag("recursive"), () -> {})) {
                stream.send(Map.of("start", Map.of()));
                new WatchStream(call, stream, watch, events).follow(Connect.keepalive(call), timeout);
            }
        });
    }

    void createWatcher(EnvdCall call) {
        Connect.unary(call, message -> {
            Place place = Place.of(call, message.text("path"));
            GuestPath directory = place.directory();
            WatchEvents events = new WatchEvents(directory, message.flag("includeEntry"), place.access());
            return Map.of("watcherId", watchers.add(call, directory, message.flag("recursive"), events));
        });
    }

    void watcherEvents(EnvdCall call) {
        Connect.unary(call, message -> Map.of("events", watchers.events(call, message.text("watcherId"))));
    }

    void removeWatcher(EnvdCall call) {
        Connect.unary(call, message -> {
            watchers.remove(call, message.text("watcherId"));
            return Map.of();
        });
    }
}
