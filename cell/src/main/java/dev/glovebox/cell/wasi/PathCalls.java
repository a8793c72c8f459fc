package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FileHandle;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.fs.OpenOptions;
import dev.glovebox.cell.fs.PathAt;
import dev.glovebox.cell.fs.Times;
import dev.glovebox.core.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/// The `path_*` functions. A path is relative to an open directory and never leaves it; that is held to by
/// [MemoryFileSystem], under its lock, and not here.
final class PathCalls {
    private static final int LOOKUP_FOLLOW = 1;
    private static final int OPEN_CREATE = 1;
    private static final int OPEN_DIRECTORY = 2;
    private static final int OPEN_EXCLUSIVE = 4;
    private static final int OPEN_TRUNCATE = 8;
    private static final int OPEN_FLAGS_ALL = 15;

    private final GuestMemory memory;
    private final DescriptorTable descriptors;
    private final MemoryFileSystem files;
    private final DialDevice device;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);

    PathCalls(GuestMemory memory, DescriptorTable descriptors, MemoryFileSystem files, DialDevice device) {
        this.device = device;
        this.memory = memory;
        this.descriptors = descriptors;
        this.files = files;
    }

    /// A string in the guest's memory.
    record GuestString(int pointer, int length) {}

    /// The arguments of `path_open` that say how.
    record OpenFlags(int open, long rights, long inheriting, int descriptor) {}

    void pathCreateDirectory(int fd, GuestString path) {
        files.createDirectory(at(fd, Rights.PATH_CREATE_DIRECTORY, path, 0));
    }

    void pathFilestatGet(int fd, int lookup, GuestString path, int resultPointer) {
        PathAt at = at(fd, Rights.PATH_FILESTAT_GET, path, lookup);
        memory.putStruct(resultPointer, Filestat.of(files.stat(at)));
    }

    void pathFilestatSetTimes(int fd, int lookup, GuestString path, Times times) {
        PathAt at = at(fd, Rights.PATH_FILESTAT_SET_TIMES, path, lookup);
        files.setTimes(at, times);
    }

    void pathLink(int oldFd, int lookup, GuestString oldPath, int newFd, GuestString newPath) {
        PathAt existing = at(oldFd, Rights.PATH_LINK_SOURCE, oldPath, lookup);
        files.link(existing, at(newFd, Rights.PATH_LINK_TARGET, newPath, 0));
    }

    void pathOpen(int fd, int lookup, GuestString path, OpenFlags flags, int resultPointer) {
        boolean create = (flags.open() & OPEN_CREATE) != 0;
        boolean truncate = (flags.open() & OPEN_TRUNCATE) != 0;
        long needed = Rights.PATH_OPEN
                | (create ? Rights.PATH_CREATE_FILE : 0)
                | (truncate ? Rights.PATH_FILESTAT_SET_SIZE : 0);
        PathAt at = at(fd, needed, path, lookup);
        Descriptor.OpenDirectory directory = descriptors.directory(fd, needed);
        if ((flags.open() & ~OPEN_FLAGS_ALL) != 0 || (flags.descriptor() & ~Descriptor.FLAGS_ALL) != 0) {
            throw new FsError(Errno.INVAL);
        }
        // Bits without a meaning are ignored, because bindings in the field pass all ones for "whatever there is".
        if (((flags.rights() | flags.inheriting()) & Rights.ALL & ~directory.inheriting) != 0) {
            throw new FsError(Errno.NOTCAPABLE);
        }
        memory.check(resultPointer, 4);
        descriptors.requireRoom();
        if (!directory.preopenName.isEmpty() && DialDevice.isHere(at.path())) {
            memory.putInt(resultPointer, descriptors.add(device.open(at.path())));
            return;
        }
        FileHandle handle = files.open(
                at,
                new OpenOptions(
                        create,
                        (flags.open() & OPEN_EXCLUSIVE) != 0,
                        truncate,
                        (flags.open() & OPEN_DIRECTORY) != 0,
                        (flags.rights() & Rights.FD_WRITE) != 0));
        Descriptor opened = handle.isDirectory()
                ? new Descriptor.OpenDirectory(handle, flags.rights(), flags.inheriting(), "")
                : new Descriptor.OpenFile(handle, flags.rights());
        opened.flags = flags.descriptor();
        memory.putInt(resultPointer, descriptors.add(opened));
    }

    /// `path_readlink`: what does not fit into the buffer is cut, as POSIX' `readlink` does.
    void pathReadlink(int fd, GuestString path, GuestString buffer, int usedPointer) {
        PathAt at = at(fd, Rights.PATH_READLINK, path, 0);
        memory.check(buffer.pointer(), buffer.length());
        memory.check(usedPointer, 4);
        boolean isWhy = DialDevice.isWhy(at.path())
                && !descriptors.directory(fd, 0).preopenName.isEmpty();
        byte[] target = (isWhy ? device.why() : files.readLink(at)).getBytes(StandardCharsets.UTF_8);
        int length = Math.min(target.length, buffer.length());
        memory.putBytes(buffer.pointer(), target, 0, length);
        memory.putInt(usedPointer, length);
    }

    void pathRemoveDirectory(int fd, GuestString path) {
        files.removeDirectory(at(fd, Rights.PATH_REMOVE_DIRECTORY, path, 0));
    }

    void pathRename(int oldFd, GuestString oldPath, int newFd, GuestString newPath) {
        PathAt from = at(oldFd, Rights.PATH_RENAME_SOURCE, oldPath, 0);
        files.rename(from, at(newFd, Rights.PATH_RENAME_TARGET, newPath, 0));
    }

    void pathSymlink(GuestString target, int fd, GuestString path) {
        files.symlink(string(target), at(fd, Rights.PATH_SYMLINK, path, 0));
    }

    void pathUnlinkFile(int fd, GuestString path) {
        files.unlink(at(fd, Rights.PATH_UNLINK_FILE, path, 0));
    }

    private PathAt at(int fd, long needed, GuestString path, int lookup) {
        Descriptor.OpenDirectory directory = descriptors.directory(fd, needed);
        if ((lookup & ~LOOKUP_FOLLOW) != 0) {
            throw new FsError(Errno.INVAL);
        }
        return new PathAt(directory.handle, string(path), (lookup & LOOKUP_FOLLOW) != 0);
    }

    private String string(GuestString string) {
        memory.check(string.pointer(), string.length());
        if (string.length() > Limits.PATH_BYTES_MAX) {
            throw new FsError(
                    Errno.NAMETOOLONG, "file name too long: a path is at most " + Limits.PATH_BYTES_MAX + " bytes");
        }
        try {
            return decoder.decode(ByteBuffer.wrap(memory.getBytes(string.pointer(), string.length())))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new FsError(Errno.ILSEQ);
        }
    }
}
