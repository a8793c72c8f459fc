package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Attributes;
import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.Times;
import java.nio.ByteBuffer;

/// The `filestat` structure, and the `fstflags` by which a guest sets the times in it.
final class Filestat {
    private Filestat() {}

    static final int BYTES = 64;
    /// `dev`: the sandbox has one file system, and its streams are in none.
    private static final long FILE_SYSTEM = 1;

    private static final int ATIM = 1;
    private static final int ATIM_NOW = 2;
    private static final int MTIM = 4;
    private static final int MTIM_NOW = 8;
    private static final int FLAGS_ALL = 15;

    static ByteBuffer of(Attributes attributes) {
        return GuestMemory.struct(BYTES)
                .putLong(0, FILE_SYSTEM)
                .putLong(8, attributes.id())
                .put(16, (byte) FileType.of(attributes.type()))
                .putLong(24, attributes.links())
                .putLong(32, attributes.size())
                .putLong(40, attributes.accessedNanos())
                .putLong(48, attributes.modifiedNanos())
                .putLong(56, attributes.changedNanos());
    }

    static ByteBuffer ofStream(int type, int fd) {
        return GuestMemory.struct(BYTES).putLong(8, fd).put(16, (byte) type).putLong(24, 1);
    }

    static Times times(long accessed, long modified, int flags) {
        if ((flags & ~FLAGS_ALL) != 0) {
            throw new FsError(Errno.INVAL);
        }
        return new Times(
                time(accessed, (flags & ATIM) != 0, (flags & ATIM_NOW) != 0),
                time(modified, (flags & MTIM) != 0, (flags & MTIM_NOW) != 0));
    }

    private static long time(long nanos, boolean given, boolean now) {
        if (given && (now || nanos < 0)) {
            throw new FsError(Errno.INVAL);
        }
        if (given) {
            return nanos;
        }
        return now ? Times.NOW : Times.KEEP;
    }
}
