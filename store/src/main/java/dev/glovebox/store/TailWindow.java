package dev.glovebox.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/// The last bytes of a segment: as many as surely hold a whole line.
final class TailWindow {
    private static final int BYTES = 2 * AuditFormat.LINE_BYTES_MAX;

    private TailWindow() {}

    /// The window that ends at `end`.
    static byte[] read(FileChannel channel, long end) throws IOException {
        int count = (int) Math.min(end, BYTES);
        ByteBuffer window = ByteBuffer.allocate(count);
        long at = end - count;
        while (window.hasRemaining()) {
            int read = channel.read(window, at + window.position());
            if (read < 0) {
                break;
            }
        }
        return Arrays.copyOf(window.array(), window.position());
    }

    /// Index of the last newline before `end`, or -1.
    static int lastNewline(byte[] bytes, int end) {
        for (int i = end - 1; i >= 0; i--) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }
}
