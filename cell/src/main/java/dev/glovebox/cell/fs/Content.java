package dev.glovebox.cell.fs;

import dev.glovebox.core.Limits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/// The bytes of one regular file, in chunks, so that growth copies nothing and holes cost nothing. Not
/// thread-safe: the file system's lock guards it.
///
/// The chunks are in a tree and not in a table, because the length of a table would follow the highest offset,
/// which a guest picks for free. Only the first chunk may be shorter than [#CHUNK_BYTES], so that small files are
/// small; bytes past its end read as zero. Invariant: bytes of chunks at or past `size` are zero.
final class Content {
    static final int CHUNK_BYTES = 16 * 1024;
    private static final int FIRST_CHUNK_BYTES_MIN = 64;
    /// A file with holes may be longer than the quota, but no longer than the largest quota.
    static final long SIZE_MAX = Limits.CELL_DISK_BYTES_MAX;

    private final Quota quota;
    private final TreeMap<Integer, byte[]> chunks = new TreeMap<>();
    private long size;

    Content(Quota quota) {
        this.quota = quota;
    }

    long size() {
        return size;
    }

    long allocatedBytes() {
        return chunks.values().stream().mapToLong(chunk -> chunk.length).sum();
    }

    /// Copies at most `target.remaining()` bytes from `offset` on; returns how many, 0 at or past the end.
    int read(long offset, ByteBuffer target) {
        int total = (int) Math.min(target.remaining(), Math.max(0, size - offset));
        for (int done = 0; done < total; ) {
            long position = offset + done;
            int within = (int) (position % CHUNK_BYTES);
            int length = Math.min(CHUNK_BYTES - within, total - done);
            byte[] chunk = chunks.get((int) (position / CHUNK_BYTES));
            int present = chunk == null ? 0 : Math.clamp(chunk.length - within, 0, length);
            if (chunk != null && present > 0) {
                target.put(chunk, within, present);
            }
            putZeros(target, length - present);
            done += length;
        }
        return total;
    }

    /// Copies all of `source` to `offset`, or as much as the quota allows if that is not nothing.
    int write(long offset, ByteBuffer source) {
        checkRange(offset, source.remaining());
        int total = source.remaining();
        for (int done = 0; done < total; ) {
            long position = offset + done;
            int within = (int) (position % CHUNK_BYTES);
            int length = Math.min(CHUNK_BYTES - within, total - done);
            byte[] chunk;
            try {
                chunk = chunk((int) (position / CHUNK_BYTES), within + length);
            } catch (FsError noSpace) {
                if (done > 0) {
                    return done;
                }
                throw noSpace;
            }
            source.get(chunk, within, length);
            done += length;
            size = Math.max(size, position + length);
        }
        return total;
    }

    /// Cuts the file, or makes it longer by a hole.
    void resize(long newSize) {
        checkRange(0, newSize);
        boolean shorter = newSize < size;
        size = newSize;
        if (shorter) {
            trim();
        }
    }

    /// Allocates what is missing between `offset` and `offset + length`, and makes the file at least that long.
    void allocate(long offset, long length) {
        checkRange(offset, length);
        long end = offset + length;
        for (long position = offset; position < end; ) {
            int within = (int) (position % CHUNK_BYTES);
            int part = (int) Math.min(CHUNK_BYTES - within, end - position);
            try {
                chunk((int) (position / CHUNK_BYTES), within + part);
            } catch (FsError noSpace) {
                trim();
                throw noSpace;
            }
            position += part;
        }
        size = Math.max(size, end);
    }

    /// Gives every byte back to the quota.
    void discard() {
        resize(0);
    }

    /// Drops the chunks past the end, and zeroes what the last one has past it.
    private void trim() {
        int kept = (int) ((size + CHUNK_BYTES - 1) / CHUNK_BYTES);
        Map<Integer, byte[]> dropped = chunks.tailMap(kept);
        dropped.values().forEach(chunk -> quota.giveBytes(chunk.length));
        dropped.clear();
        byte[] last = chunks.get(kept - 1);
        int end = (int) (size - (kept - 1L) * CHUNK_BYTES);
        if (last != null && end < last.length) {
            Arrays.fill(last, end, last.length, (byte) 0);
        }
    }

    private byte[] chunk(int index, int lengthMin) {
        byte[] chunk = chunks.get(index);
        if (chunk != null && chunk.length >= lengthMin) {
            return chunk;
        }
        int length =
                index > 0 ? CHUNK_BYTES : Math.max(FIRST_CHUNK_BYTES_MIN, Integer.highestOneBit(lengthMin - 1) * 2);
        int held = chunk == null ? 0 : chunk.length;
        quota.takeBytes(length - held);
        try {
            byte[] grown = chunk == null ? new byte[length] : Arrays.copyOf(chunk, length);
            chunks.put(index, grown);
            return grown;
        } catch (OutOfMemoryError _) {
            // The heap belongs to the whole cell; that it is full must end neither the cell nor this guest.
            quota.giveBytes(length - held);
            throw new FsError(Errno.NOSPC, "no space left: the memory of the cell is used up");
        }
    }

    private static void putZeros(ByteBuffer target, int count) {
        for (int left = count; left > 0; ) {
            int length = Math.min(left, Zeros.BYTES.length);
            target.put(Zeros.BYTES, 0, length);
            left -= length;
        }
    }

    /// Refuses a range that no file can have.
    static void checkRange(long offset, long length) {
        if (offset < 0 || length < 0) {
            throw new FsError(Errno.INVAL, "invalid argument: an offset and a length are not negative");
        }
        if (length > SIZE_MAX - offset) {
            throw new FsError(Errno.FBIG, "file too large: a file is at most " + SIZE_MAX + " bytes");
        }
    }

    /// A source of zeros for bulk copies; never written to.
    private static final class Zeros {
        static final byte[] BYTES = new byte[4096];
    }
}
