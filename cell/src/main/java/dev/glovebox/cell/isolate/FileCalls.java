package dev.glovebox.cell.isolate;

import dev.glovebox.cell.fs.Attributes;
import dev.glovebox.cell.fs.DirectoryEntry;
import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FileHandle;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.HostFiles;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.fs.OpenOptions;
import dev.glovebox.cell.fs.PathAt;
import dev.glovebox.cell.fs.Times;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The file system as the prelude's node:fs sees it: paths as text, descriptors as numbers. Failures are [FsError]s.
/// One thread at a time.
final class FileCalls implements AutoCloseable {
    private static final int FIRST_DESCRIPTOR = 3;
    private static final int WRITE = 1;
    private static final int CREATE = 2;
    private static final int TRUNCATE = 4;
    private static final int EXCLUSIVE = 8;
    private static final int APPEND = 16;
    private static final int LIST_AT_ONCE = 1024;
    /// How [#remove] treats a directory.
    private static final int ONLY_DIRECTORY = 1;

    private static final int RECURSIVE = 2;

    private static final class Open {
        final FileHandle handle;
        final boolean writes;
        final boolean appends;
        long position;

        Open(FileHandle handle, boolean writes, boolean appends) {
            this.handle = handle;
            this.writes = writes;
            this.appends = appends;
        }
    }

    private final MemoryFileSystem files;
    private final HostFiles whole;
    private final FileHandle root;
    private final Map<Integer, Open> open = new HashMap<>();
    private GuestPath directory = GuestPath.ROOT;

    FileCalls(MemoryFileSystem files) {
        this.files = files;
        this.whole = new HostFiles(files);
        this.root = files.openRoot();
    }

    GuestPath directory() {
        return directory;
    }

    void directory(GuestPath path) {
        directory = path;
    }

    String changeDirectory(String path) {
        GuestPath place = GuestPath.resolve(directory, path);
        if (!files.stat(at(place.value(), true)).isDirectory()) {
            throw new FsError(Errno.NOTDIR);
        }
        directory = place;
        return place.value();
    }

    /// A path as the guest wrote it.
    private PathAt at(String path, boolean follow) {
        if (path.isEmpty()) {
            throw new FsError(Errno.NOENT);
        }
        String relative = GuestPath.resolve(directory, path).value().substring(1);
        return new PathAt(root, relative.isEmpty() ? "." : relative, follow);
    }

    int open(String path, int flags) {
        if (open.size() >= Limits.OPEN_FILES_MAX) {
            throw new FsError(Errno.MFILE);
        }
        boolean writes = (flags & WRITE) != 0;
        OpenOptions options = new OpenOptions(
                (flags & CREATE) != 0, (flags & EXCLUSIVE) != 0, (flags & TRUNCATE) != 0, false, writes);
        FileHandle handle = files.open(at(path, true), options);
        int descriptor = FIRST_DESCRIPTOR;
        while (open.containsKey(descriptor)) {
            descriptor++;
        }
        open.put(descriptor, new Open(handle, writes, (flags & APPEND) != 0));
        return descriptor;
    }

    void close(int descriptor) {
        Open file = open.remove(descriptor);
        if (file == null) {
            throw new FsError(Errno.BADF);
        }
        file.handle.close();
    }

    private Open require(int descriptor) {
        Open file = open.get(descriptor);
        if (file == null) {
            throw new FsError(Errno.BADF);
        }
        return file;
    }

    /// Reads at `position`, or where the last call ended if it is negative.
    int read(int descriptor, long position, ByteBuffer target) {
        Open file = require(descriptor);
        if (file.handle.isDirectory()) {
            throw new FsError(Errno.ISDIR);
        }
        int count = file.handle.read(position < 0 ? file.position : position, target);
        if (position < 0) {
            file.position += count;
        }
        return count;
    }

    int write(int descriptor, long position, ByteBuffer source) {
        Open file = require(descriptor);
        if (!file.writes) {
            throw new FsError(Errno.BADF);
        }
        if (file.appends) {
            int size = source.remaining();
            file.position = file.handle.append(source);
            return size;
        }
        int count = file.handle.write(position < 0 ? file.position : position, source);
        if (position < 0) {
            file.position += count;
        }
        return count;
    }

    void resize(int descriptor, long size) {
        Open file = require(descriptor);
        if (!file.writes) {
            throw new FsError(Errno.BADF);
        }
        if (size < 0) {
            throw new FsError(Errno.INVAL);
        }
        file.handle.resize(size);
    }

    String stat(int descriptor) {
        return describe(require(descriptor).handle.attributes());
    }

    String stat(String path, boolean follow) {
        return describe(files.stat(at(path, follow)));
    }

    FileEntry.Type type(String path) {
        return files.stat(at(path, true)).type();
    }

    private static String describe(Attributes of) {
        return of.type() + " " + of.size() + " " + of.mode() + " " + of.links() + " " + of.id() + " "
                + of.accessedNanos() / 1_000_000 + " " + of.modifiedNanos() / 1_000_000 + " "
                + of.changedNanos() / 1_000_000;
    }

    /// The entries of a directory: `TYPE name`, joined by NUL.
    String list(String path) {
        StringBuilder text = new StringBuilder();
        try (FileHandle handle = files.open(at(path, true), new OpenOptions(false, false, false, true, false))) {
            long cookie = 0;
            while (true) {
                List<DirectoryEntry> entries = handle.list(cookie, LIST_AT_ONCE);
                for (DirectoryEntry entry : entries) {
                    cookie = entry.cookie() + 1;
                    if (!entry.name().equals(".") && !entry.name().equals("..")) {
                        text.append(text.isEmpty() ? "" : "\0")
                                .append(entry.type())
                                .append(' ')
                                .append(entry.name());
                    }
                }
                if (entries.size() < LIST_AT_ONCE) {
                    return text.toString();
                }
            }
        }
    }

    boolean makeDirectory(String path, boolean parents) {
        if (parents) {
            return whole.makeDirectory(GuestPath.resolve(directory, path), true);
        }
        files.createDirectory(at(path, false));
        return true;
    }

    void remove(String path, int kind) {
        if (kind == RECURSIVE) {
            whole.remove(GuestPath.resolve(directory, path), true);
        } else if (kind == ONLY_DIRECTORY) {
            files.removeDirectory(at(path, false));
        } else {
            files.unlink(at(path, false));
        }
    }

    void rename(String from, String to) {
        files.rename(at(from, false), at(to, false));
    }

    void link(String target, String path, boolean symbolic) {
        if (symbolic) {
            files.symlink(target, at(path, false));
        } else {
            files.link(at(target, false), at(path, false));
        }
    }

    String readLink(String path) {
        return files.readLink(at(path, false));
    }

    /// Where a path leads when every link is followed, by walking it part by part.
    String realPath(String path) {
        GuestPath place = GuestPath.resolve(directory, path);
        for (int links = 0; links <= Limits.SYMLINK_DEPTH_MAX; links++) {
            Optional<GuestPath> next = followFirstLink(place);
            if (next.isEmpty()) {
                return place.value();
            }
            place = next.get();
        }
        throw new FsError(Errno.LOOP);
    }

    /// Empty if there is no link in the path.
    private Optional<GuestPath> followFirstLink(GuestPath place) {
        String value = place.value();
        for (int end = value.indexOf('/', 1); ; end = value.indexOf('/', end + 1)) {
            String part = end < 0 ? value : value.substring(0, end);
            if (files.stat(at(part, false)).type() == FileEntry.Type.SYMLINK) {
                GuestPath parent = new GuestPath(part + "/..");
                GuestPath target = GuestPath.resolve(parent, files.readLink(at(part, false)));
                return Optional.of(end < 0 ? target : GuestPath.resolve(target, value.substring(end + 1)));
            }
            if (end < 0) {
                return Optional.empty();
            }
        }
    }

    void setTimes(String path, double accessedMillis, double modifiedMillis) {
        files.setTimes(at(path, true), new Times(nanos(accessedMillis), nanos(modifiedMillis)));
    }

    private static long nanos(double millis) {
        if (!(millis >= 0 && millis < 8.64e15)) {
            throw new FsError(Errno.INVAL);
        }
        return (long) (millis * 1e6);
    }

    byte[] read(String path, int bytesMax) {
        return whole.read(GuestPath.resolve(directory, path), bytesMax);
    }

    @Override
    public void close() {
        open.values().forEach(file -> file.handle.close());
        open.clear();
        root.close();
    }
}
