package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import java.nio.ByteBuffer;

/// The buffers of one `fd_read` or `fd_write` (`iovec_array`, `ciovec_array`), copied out of the guest's memory
/// and checked as a whole before any of them is used: reading into a buffer that covers the array itself changes
/// nothing.
final class IoVectors {
    /// As Linux: IOV_MAX.
    private static final int COUNT_MAX = 1024;
    /// What one call moves at most; a longer one is cut short, as POSIX allows. It bounds the time under the file
    /// system's lock and the time until the guest can be stopped.
    static final int TRANSFER_BYTES_MAX = 16 * 1024 * 1024;

    private static final int VECTOR_BYTES = 8;

    private final GuestMemory memory;
    private final int[] pointers;
    private final int[] lengths;
    private int total;

    private IoVectors(GuestMemory memory, int count) {
        this.memory = memory;
        pointers = new int[count];
        lengths = new int[count];
    }

    static IoVectors read(GuestMemory memory, int pointer, int count) {
        if (count < 0 || count > COUNT_MAX) {
            throw new FsError(Errno.INVAL, "invalid argument: at most " + COUNT_MAX + " buffers in one call");
        }
        memory.check(pointer, count * VECTOR_BYTES);
        IoVectors vectors = new IoVectors(memory, count);
        for (int i = 0; i < count; i++) {
            int start = memory.getInt(pointer + i * VECTOR_BYTES);
            int length = memory.getInt(pointer + i * VECTOR_BYTES + 4);
            memory.check(start, length);
            vectors.pointers[i] = start;
            vectors.lengths[i] = Math.min(length, TRANSFER_BYTES_MAX - vectors.total);
            vectors.total += vectors.lengths[i];
        }
        return vectors;
    }

    int count() {
        return pointers.length;
    }

    /// Bytes in all buffers together, at most [#TRANSFER_BYTES_MAX].
    int total() {
        return total;
    }

    ByteBuffer buffer(int index) {
        return memory.slice(pointers[index], lengths[index]);
    }
}
