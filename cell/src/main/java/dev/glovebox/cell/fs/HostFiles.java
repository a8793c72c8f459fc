package dev.glovebox.cell.fs;

import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/// What the host does with a sandbox's files on behalf of a caller: whole paths from the sandbox's root, whole
/// files. Symbolic links on the way are followed, always inside the sandbox. A failure is an [FsError].
/// Thread-safe; each operation is atomic towards the guest, except [#list], which sees what a guest's own walk
/// would see.
public final class HostFiles {
    private final MemoryFileSystem files;

    public HostFiles(MemoryFileSystem files) {
        this.files = files;
    }

    /// What is at `path`; of a symbolic link, the link itself.
    public FileEntry stat(GuestPath path) {
        return files.locked(() -> {
            Node node = files.fromRoot(path.value(), false).require();
            return entry(path.value(), node, node.attributes());
        });
    }

    /// Shows `sink` everything below the directory `path` down to `depth` levels (1: its own entries), each
    /// directory before what is in it. The lock is held for one directory at a time, and never while `sink` runs.
    public void list(GuestPath path, int depth, Consumer<FileEntry> sink) {
        // A directory that is being walked: what is left of its entries as they were when it was entered.
        record Level(String path, Iterator<Found> rest) {}

        Directory top = files.locked(
                () -> requireDirectory(files.fromRoot(path.value(), true).require()));
        Deque<Level> levels = new ArrayDeque<>();
        levels.push(new Level(path.value().equals("/") ? "" : path.value(), entriesOf(top)));
        while (!levels.isEmpty()) {
            Level level = levels.peek();
            if (!level.rest().hasNext()) {
                levels.pop();
                continue;
            }
            Found found = level.rest().next();
            String entryPath = level.path() + "/" + found.entry().name();
            sink.accept(entry(entryPath, found.entry().node(), found.attributes()));
            if (found.entry().node() instanceof Directory child && levels.size() < depth) {
                levels.push(new Level(entryPath, entriesOf(child)));
            }
        }
    }

    /// What the lock protects of an entry; a name and a link's target never change.
    private record Found(Directory.Entry entry, Attributes attributes) {}

    /// A directory's entries by name. Names are UTF-8 that was checked, so the order of characters is that of bytes but
    /// for rare ones beyond the first plane.
    private Iterator<Found> entriesOf(Directory directory) {
        return files
                .locked(() -> directory.entries().stream()
                        .map(entry -> new Found(entry, entry.node().attributes()))
                        .toList())
                .stream()
                .sorted(Comparator.comparing(found -> found.entry().name()))
                .iterator();
    }

    /// Opens a file for reading. The handle reads the same file to its end even if the guest removes or replaces
    /// it.
    public FileHandle open(GuestPath path) {
        return files.locked(() -> {
            Location location = files.fromRoot(path.value(), true);
            switch (location.require()) {
                case Node.Regular _, Node.Shared _ -> {}
                case Directory _ -> throw new FsError(Errno.ISDIR);
                case Node.Device _, Node.Link _ -> throw notAFile();
            }
            return files.open(location, OpenOptions.READ);
        });
    }

    /// A whole file, if it is at most `bytesMax` long.
    public byte[] read(GuestPath path, int bytesMax) {
        return files.locked(() -> {
            try (FileHandle handle = open(path)) {
                long size = handle.attributes().size();
                if (size > bytesMax) {
                    throw new FsError(
                            Errno.FBIG, "file too large: it has " + size + " bytes; the bound is " + bytesMax);
                }
                byte[] bytes = new byte[(int) size];
                handle.read(0, ByteBuffer.wrap(bytes));
                return bytes;
            }
        });
    }

    /// Begins to replace, or to create, a file; the guest sees the old content until [Replacement#commit()].
    public Replacement replace(GuestPath path, WriteOptions options) {
        return files.locked(() -> {
            Replacement replacement = new Replacement(files, path, options, files.openNameless(files.newFile()));
            try {
                replacement.checkTarget();
                return replacement;
            } catch (FsError refused) {
                replacement.close();
                throw refused;
            }
        });
    }

    /// Replaces, or creates, a whole file at once.
    public void write(GuestPath path, ByteBuffer content, WriteOptions options) {
        try (Replacement replacement = replace(path, options)) {
            replacement.append(content);
            replacement.commit();
        }
    }

    /// Adds to the end of a file, which is created if it is missing. All of `content`, or none of it.
    public void append(GuestPath path, ByteBuffer content, WriteOptions options) {
        files.runLocked(() -> {
            if (options.parents()) {
                makeParents(files, path);
            }
            Location location = files.fromRoot(path.value(), true);
            requireReplaceable(location);
            OpenOptions create = new OpenOptions(true, false, false, false, true);
            boolean created = location.node() == null;
            try (FileHandle handle = files.open(location, create)) {
                appendAll(handle, content);
                if (options.mode() != WriteOptions.MODE_KEEP) {
                    files.fromRoot(path.value(), true).require().mode = options.mode() & MemoryFileSystem.MODE_MASK;
                }
            } catch (FsError refused) {
                if (created) {
                    files.detach(files.fromRoot(path.value(), true));
                }
                throw refused;
            }
        });
    }

    /// Makes a directory. Returns false if it was there already.
    public boolean makeDirectory(GuestPath path, boolean parents) {
        return files.locked(() -> {
            if (parents) {
                makeParents(files, path);
            }
            Location location = files.fromRoot(path.value(), true);
            if (location.node() != null) {
                if (location.node() instanceof Directory) {
                    return false;
                }
                throw new FsError(Errno.EXIST, "file exists: what is there is not a directory");
            }
            files.makeDirectory(location);
            return true;
        });
    }

    /// Moves a file or directory. A file or empty directory at the new place is replaced, as POSIX' `rename`
    /// does.
    public void move(GuestPath from, GuestPath to) {
        files.runLocked(() -> files.rename(files.fromRoot(from.value(), false), files.fromRoot(to.value(), false)));
    }

    /// Removes a file, a link (not what it points to) or a directory; one that is not empty only if `recursive`.
    public void remove(GuestPath path, boolean recursive) {
        files.runLocked(() -> {
            Location location = files.fromRoot(path.value(), false);
            if (location.requireRemovable() instanceof Directory directory && !directory.isEmpty() && !recursive) {
                throw new FsError(Errno.NOTEMPTY);
            }
            files.detachTree(location);
        });
    }

    /// The lock is held.
    static void makeParents(MemoryFileSystem files, GuestPath path) {
        List<String> steps = GuestNames.steps(path.value());
        for (String step : steps.subList(0, Math.max(0, steps.size() - 1))) {
            Location location = files.fromRoot(step, true);
            if (location.node() == null) {
                files.makeDirectory(location);
            } else {
                requireDirectory(location.node());
            }
        }
    }

    /// Refuses a place that no regular file of the host may take.
    static void requireReplaceable(Location location) {
        switch (location.node()) {
            case null -> {}
            case Node.Regular _ -> {}
            case Directory _ -> throw new FsError(Errno.ISDIR);
            case Node.Shared shared -> Location.refuseFixed(shared);
            case Node.Device _, Node.Link _ -> throw notAFile();
        }
    }

    private static FsError notAFile() {
        return new FsError(Errno.PERM, "operation not permitted: not a regular file");
    }

    /// Unlike a write of the guest, one of the host is whole or nothing: no caller expects half a file.
    static void appendAll(FileHandle handle, ByteBuffer content) {
        long before = handle.attributes().size();
        handle.append(content);
        if (content.hasRemaining()) {
            handle.resize(before);
            throw new FsError(
                    Errno.NOSPC,
                    "no space left: the sandbox's file quota ends " + content.remaining() + " bytes too early");
        }
    }

    private static Directory requireDirectory(Node node) {
        if (node instanceof Directory directory) {
            return directory;
        }
        throw new FsError(Errno.NOTDIR);
    }

    private static FileEntry entry(String path, Node node, Attributes attributes) {
        String target = node instanceof Node.Link link ? link.target : "";
        return new FileEntry(
                path,
                attributes.type(),
                attributes.size(),
                attributes.mode(),
                Instant.ofEpochMilli(attributes.modifiedNanos() / 1_000_000),
                target);
    }
}
