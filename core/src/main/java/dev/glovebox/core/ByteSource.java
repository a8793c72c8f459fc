package dev.glovebox.core;

import java.nio.ByteBuffer;

/// Bytes to be read once, in order, without holding them all. Not thread-safe.
@FunctionalInterface
public interface ByteSource {
    /// Fills a part of `target` and says how much: at least 1, or -1 at the end. May block.
    int read(byte[] target);

    /// The same into a buffer, from its position on. Who has the bytes outside of the JVM's heap, or gets them from the
    /// kernel, does without a copy.
    default int read(ByteBuffer target) {
        byte[] piece = new byte[target.remaining()];
        int count = read(piece);
        if (count > 0) {
            target.put(piece, 0, count);
        }
        return count;
    }

    /// The bytes of an array.
    static ByteSource of(byte[] content) {
        int[] position = {0};
        return target -> {
            if (position[0] == content.length) {
                return -1;
            }
            int count = Math.min(target.length, content.length - position[0]);
            System.arraycopy(content, position[0], target, 0, count);
            position[0] += count;
            return count;
        };
    }
}
