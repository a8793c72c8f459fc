package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.DirectoryEntry;
import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The `fd_*` functions that are not about content: descriptors, attributes and directories. Those that move
/// bytes are in [TransferCalls].
final class FdCalls {
    private static final int FDSTAT_BYTES = 24;
    private static final int PRESTAT_BYTES = 8;
    private static final int DIRENT_BYTES = 24;
    private static final int ADVICE_MAX = 5;
    /// Directory entries that are fetched at a time.
    private static final int READDIR_BATCH = 64;

    private final GuestMemory memory;
    private final DescriptorTable descriptors;

    FdCalls(GuestMemory memory, DescriptorTable descriptors) {
        this.memory = memory;
        this.descriptors = descriptors;
    }

    void fdAdvise(int fd, long offset, long length, int advice) {
        descriptors.file(fd).require(Rights.FD_ADVISE);
        if (offset < 0 || length < 0 || advice < 0 || advice > ADVICE_MAX) {
            throw new FsError(Errno.INVAL);
        }
    }

    void fdClose(int fd) {
        descriptors.close(fd);
    }

    /// `fd_sync` and `fd_datasync`: memory is as safe as it will ever be.
    void fdSync(int fd, long right) {
        descriptors.inFileSystem(fd, Errno.INVAL).require(right);
    }

    void fdFdstatGet(int fd, int resultPointer) {
        Descriptor descriptor = descriptors.get(fd);
        ByteBuffer fdstat = GuestMemory.struct(FDSTAT_BYTES)
                .put(0, (byte) descriptor.type())
                .putShort(2, (short) descriptor.flags)
                .putLong(8, descriptor.rights)
                .putLong(16, descriptor.inheriting);
        memory.putStruct(resultPointer, fdstat);
    }

    void fdFdstatSetFlags(int fd, int flags) {
        Descriptor descriptor = descriptors.get(fd);
        descriptor.require(Rights.FD_FDSTAT_SET_FLAGS);
        if ((flags & ~Descriptor.FLAGS_ALL) != 0) {
            throw new FsError(Errno.INVAL);
        }
        if ((flags & Descriptor.FLAG_NONBLOCK) != 0 && !(descriptor instanceof Descriptor.InFileSystem)) {
            throw new FsError(Errno.NOTSUP, "not supported: a standard stream always waits");
        }
        descriptor.flags = flags;
    }

    /// `fd_fdstat_set_rights`: rights can only be given up.
    void fdFdstatSetRights(int fd, long rights, long inheriting) {
        Descriptor descriptor = descriptors.get(fd);
        if ((rights & ~descriptor.rights) != 0 || (inheriting & ~descriptor.inheriting) != 0) {
            throw new FsError(Errno.NOTCAPABLE);
        }
        descriptor.rights = rights;
        descriptor.inheriting = inheriting;
    }

    void fdFilestatGet(int fd, int resultPointer) {
        Descriptor descriptor = descriptors.get(fd);
        descriptor.require(Rights.FD_FILESTAT_GET);
        if (descriptor instanceof Descriptor.InFileSystem file) {
            memory.putStruct(resultPointer, Filestat.of(file.handle.attributes()));
        } else {
            memory.putStruct(resultPointer, Filestat.ofStream(descriptor.type(), fd));
        }
    }

    void fdFilestatSetTimes(int fd, long accessed, long modified, int flags) {
        Descriptor.InFileSystem file = descriptors.inFileSystem(fd, Errno.INVAL);
        file.require(Rights.FD_FILESTAT_SET_TIMES);
        file.handle.setTimes(Filestat.times(accessed, modified, flags));
    }

    void fdPrestatGet(int fd, int resultPointer) {
        byte[] name = preopenName(fd);
        memory.putStruct(resultPointer, GuestMemory.struct(PRESTAT_BYTES).putInt(4, name.length));
    }

    void fdPrestatDirName(int fd, int buffer, int length) {
        byte[] name = preopenName(fd);
        memory.check(buffer, length);
        if (length < name.length) {
            throw new FsError(Errno.NAMETOOLONG);
        }
        memory.putBytes(buffer, name, 0, name.length);
    }

    /// `fd_readdir`: fills the buffer to its last byte as long as there are entries, cutting the last one; a
    /// buffer that is not full tells the guest that it has seen all.
    void fdReaddir(int fd, int buffer, int length, long cookie, int usedPointer) {
        Descriptor.OpenDirectory directory = descriptors.directory(fd, Rights.FD_READDIR);
        memory.check(buffer, length);
        memory.check(usedPointer, 4);
        int used = 0;
        long next = cookie;
        List<DirectoryEntry> batch = cookie < 0 ? List.of() : directory.handle.list(next, READDIR_BATCH);
        while (used < length && !batch.isEmpty()) {
            for (DirectoryEntry entry : batch) {
                if (used == length) {
                    break;
                }
                ByteBuffer line = dirent(entry);
                int part = Math.min(line.capacity(), length - used);
                memory.putStruct(buffer + used, line, part);
                used += part;
                next = entry.cookie() + 1;
            }
            batch = directory.handle.list(next, READDIR_BATCH);
        }
        memory.putInt(usedPointer, used);
    }

    void fdRenumber(int from, int to) {
        descriptors.renumber(from, to);
    }

    private byte[] preopenName(int fd) {
        if (descriptors.get(fd) instanceof Descriptor.OpenDirectory directory && !directory.preopenName.isEmpty()) {
            return directory.preopenName.getBytes(StandardCharsets.UTF_8);
        }
        // wasi-libc asks for one number after the other until it gets exactly this answer.
        throw new FsError(Errno.BADF);
    }

    private static ByteBuffer dirent(DirectoryEntry entry) {
        byte[] name = entry.name().getBytes(StandardCharsets.UTF_8);
        return GuestMemory.struct(DIRENT_BYTES + name.length)
                .putLong(0, entry.cookie() + 1)
                .putLong(8, entry.id())
                .putInt(16, name.length)
                .put(20, (byte) FileType.of(entry.type()))
                .put(DIRENT_BYTES, name);
    }
}
