package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The linear memory of one guest, as its host sees it. Every access is checked against the size; one that is not
/// wholly inside is `EFAULT` and touches nothing. For the guest's thread only.
///
/// Pointers and lengths are the guest's `u32` values as Java ints. Memory is smaller than 2 GiB, so a value that
/// Java takes for negative is out of bounds by itself, and no sum of two of them is ever formed.
public final class GuestMemory {
    private ByteBuffer view = ByteBuffer.allocate(0);
    private int size;

    /// Gives the view of the memory as it is now: its whole capacity is the memory. To be called before the
    /// guest's first call, and again before the next one whenever `memory.grow` may have replaced the buffer.
    /// The view that it replaces is never touched again.
    public void refresh(ByteBuffer memory) {
        view = memory.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
        size = view.capacity();
    }

    public int size() {
        return size;
    }

    /// Refuses a range that is not wholly inside the memory.
    void check(int pointer, int length) {
        if (pointer < 0 || length < 0 || pointer > size - length) {
            throw new FsError(Errno.FAULT);
        }
    }

    int getByte(int pointer) {
        check(pointer, 1);
        return view.get(pointer) & 0xff;
    }

    int getShort(int pointer) {
        check(pointer, 2);
        return view.getShort(pointer) & 0xffff;
    }

    int getInt(int pointer) {
        check(pointer, 4);
        return view.getInt(pointer);
    }

    long getLong(int pointer) {
        check(pointer, 8);
        return view.getLong(pointer);
    }

    byte[] getBytes(int pointer, int length) {
        check(pointer, length);
        byte[] bytes = new byte[length];
        view.get(pointer, bytes);
        return bytes;
    }

    void putInt(int pointer, int value) {
        check(pointer, 4);
        view.putInt(pointer, value);
    }

    void putLong(int pointer, long value) {
        check(pointer, 8);
        view.putLong(pointer, value);
    }

    void putBytes(int pointer, byte[] bytes, int offset, int length) {
        check(pointer, length);
        view.put(pointer, bytes, offset, length);
    }

    /// Writes one structure, or the beginning of it.
    void putStruct(int pointer, ByteBuffer struct, int length) {
        check(pointer, length);
        view.put(pointer, struct, 0, length);
    }

    void putStruct(int pointer, ByteBuffer struct) {
        putStruct(pointer, struct, struct.capacity());
    }

    /// A window of exactly this range: what uses it cannot get outside.
    ByteBuffer slice(int pointer, int length) {
        check(pointer, length);
        return view.slice(pointer, length);
    }

    /// A structure to be filled and written with [#putStruct]: zero, so that its padding tells the guest nothing.
    static ByteBuffer struct(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
