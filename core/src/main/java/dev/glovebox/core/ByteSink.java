package dev.glovebox.core;

import java.nio.ByteBuffer;

/// Takes bytes in order. Not thread-safe. May block.
@FunctionalInterface
public interface ByteSink {
    void write(byte[] bytes);

    /// The same from a buffer, up to its limit. Who hands the bytes on to the kernel does without a copy. Others may
    /// change them meanwhile.
    default void write(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        write(copy);
    }
}
