package dev.glovebox.cell.wasm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The piece of memory through which guest and host pass arguments: three times cheaper than values of V8,
/// measured 0.4 µs a call against 1.2. The layout is in `glue.js`. Valid during one host call, on its thread.
final class Exchange {
    private static final int SLOTS = 34;
    private static final int FUNCTION = 0;
    private static final int UNWOUND = 4;
    private static final int RESULT = 8;
    private static final int PAGES = 12;
    private static final int ARGUMENTS = 16;
    private static final int INTERRUPT = 33 * Long.BYTES;

    private final ByteBuffer buffer =
            ByteBuffer.allocateDirect(SLOTS * Long.BYTES).order(ByteOrder.nativeOrder());

    ByteBuffer buffer() {
        return buffer;
    }

    int function() {
        return buffer.getInt(FUNCTION);
    }

    int pages() {
        return buffer.getInt(PAGES);
    }

    int int32(int index) {
        return buffer.getInt(ARGUMENTS + index * Long.BYTES);
    }

    long int64(int index) {
        return buffer.getLong(ARGUMENTS + index * Long.BYTES);
    }

    int result() {
        return buffer.getInt(RESULT);
    }

    void setResult(int result) {
        buffer.putInt(UNWOUND, 0).putInt(RESULT, result);
    }

    void setInterrupt(boolean interrupt) {
        buffer.putInt(INTERRUPT, interrupt ? 1 : 0);
    }

    void setUnwound() {
        buffer.putInt(UNWOUND, 1);
    }
}
