package dev.glovebox.testkit;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/// The files of a fake sandbox: paths to contents, with as much of POSIX as the suites ask for. Thread-safe.
final class FakeFiles {
    private static final int LINKS_MAX = 8;

    private sealed interface Node {
        record File(byte[] content) implements Node {}

        record Directory() implements Node {}

        record Link(String target) implements Node {}
    }

    /// A directory before what is in it, and that before its neighbours.
    private static final Comparator<String> BY_PATH = Comparator.comparing(path -> path.replace('/', '\0'));

    private final NavigableMap<String, Node> nodes = new TreeMap<>(BY_PATH);
    private final ResourceLimits limits;

    FakeFiles(ResourceLimits limits) {
        this.limits = limits;
        nodes.put("/", new Node.Directory());
        makeDirectory(GuestPath.HOME);
    }

    synchronized FileEntry stat(GuestPath path) {
        Node node = nodes.get(path.value());
        if (node == null) {
            checkParents(path);
            throw new GloveboxException(ErrorCode.FILE_NOT_FOUND, "there is no " + path);
        }
        return entry(path.value(), node);
    }

    private static FileEntry entry(String path, Node node) {
        return switch (node) {
            case Node.File file ->
                new FileEntry(path, FileEntry.Type.FILE, file.content().length, 0644, Samples.NOON, "");
            case Node.Directory _ -> new FileEntry(path, FileEntry.Type.DIRECTORY, 0, 0755, Samples.NOON, "");
            case Node.Link link -> new FileEntry(path, FileEntry.Type.SYMLINK, 0, 0777, Samples.NOON, link.target());
        };
    }

    private void checkParents(GuestPath path) {
        GuestPath parent = parent(path);
        if (!path.equals(GuestPath.ROOT) && nodes.get(parent.value()) instanceof Node.File) {
            throw new GloveboxException(ErrorCode.WRONG_FILE_TYPE, parent + " is a file, not a directory");
        }
    }

    private static GuestPath parent(GuestPath path) {
        return GuestPath.resolve(path, "..");
    }

    synchronized List<FileEntry> list(GuestPath path, int depth) {
        if (stat(path).type() != FileEntry.Type.DIRECTORY) {
            throw new GloveboxException(ErrorCode.WRONG_FILE_TYPE, path + " is not a directory");
        }
        String prefix = prefix(path);
        List<FileEntry> entries = new ArrayList<>();
        for (Map.Entry<String, Node> entry : nodes.entrySet()) {
            String name = entry.getKey();
            if (name.startsWith(prefix) && name.length() > prefix.length()) {
                long levels = name.substring(prefix.length())
                                .chars()
                                .filter(c -> c == '/')
                                .count()
                        + 1;
                if (levels <= depth) {
                    entries.add(entry(name, entry.getValue()));
                }
            }
        }
        return entries;
    }

    private static String prefix(GuestPath path) {
        return path.equals(GuestPath.ROOT) ? "/" : path.value() + "/";
    }

    synchronized byte[] read(GuestPath path) {
        GuestPath place = path;
        for (int i = 0; i < LINKS_MAX; i++) {
            stat(place);
            switch (nodes.get(place.value())) {
                case Node.File file -> {
                    return file.content();
                }
                case Node.Link link -> place = GuestPath.resolve(parent(place), link.target());
                case Node.Directory _ ->
                    throw new GloveboxException(ErrorCode.WRONG_FILE_TYPE, place + " is a directory");
                case null -> throw new GloveboxException(ErrorCode.FILE_NOT_FOUND, "there is no " + place);
            }
        }
        throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "too many links");
    }

    synchronized FileEntry write(GuestPath path, byte[] content) {
        if (nodes.get(path.value()) instanceof Node.Directory) {
            throw new GloveboxException(ErrorCode.WRONG_FILE_TYPE, path + " is a directory");
        }
        checkName(path);
        if (nodes.get(parent(path).value()) instanceof Node.File) {
            throw new GloveboxException(ErrorCode.WRONG_FILE_TYPE, parent(path) + " is a file, not a directory");
        }
        makeDirectory(parent(path));
        put(path, new Node.File(content));
        return stat(path);
    }

    private static void checkName(GuestPath path) {
        if (path.fileName().getBytes(StandardCharsets.UTF_8).length > Limits.FILE_NAME_BYTES_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a name is longer than the bound of " + Limits.FILE_NAME_BYTES_MAX + " bytes");
        }
    }

    synchronized void link(GuestPath path, String target) {
        put(path, new Node.Link(target));
    }

    private void put(GuestPath path, Node node) {
        Node before = nodes.put(path.value(), node);
        long bytes = nodes.values().stream().mapToLong(FakeFiles::size).sum();
        if (bytes > limits.diskBytes() || nodes.size() > limits.fileCount()) {
            if (before == null) {
                nodes.remove(path.value());
            } else {
                nodes.put(path.value(), before);
            }
            throw new GloveboxException(ErrorCode.NO_SPACE, "the sandbox's disk is full");
        }
    }

    private static long size(Node node) {
        return node instanceof Node.File(byte[] content) ? content.length : 0;
    }

    synchronized FileEntry makeDirectory(GuestPath path) {
        Node node = nodes.get(path.value());
        if (node != null && !(node instanceof Node.Directory)) {
            throw new GloveboxException(ErrorCode.ALREADY_EXISTS, path + " exists and is not a directory");
        }
        if (node == null) {
            checkParents(path);
            makeDirectory(parent(path));
            put(path, new Node.Directory());
        }
        return stat(path);
    }

    synchronized FileEntry move(GuestPath from, GuestPath to) {
        stat(from);
        if (prefix(to).startsWith(prefix(from)) && !from.equals(to)) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "a directory cannot move into itself");
        }
        Map<String, Node> moved = new TreeMap<>(below(from));
        nodes.keySet().removeAll(moved.keySet());
        moved.forEach((path, node) ->
                nodes.put(to.value() + path.substring(from.value().length()), node));
        return stat(to);
    }

    synchronized void remove(GuestPath path) {
        if (path.equals(GuestPath.ROOT)) {
            throw new GloveboxException(ErrorCode.INVALID_ARGUMENT, "the root cannot be removed");
        }
        stat(path);
        nodes.keySet().removeAll(new ArrayList<>(below(path).keySet()));
    }

    private Map<String, Node> below(GuestPath path) {
        Map<String, Node> found = new TreeMap<>(BY_PATH);
        nodes.forEach((name, node) -> {
            if (name.equals(path.value()) || name.startsWith(prefix(path))) {
                found.put(name, node);
            }
        });
        return found;
    }
}
