package dev.glovebox.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// The body of a request: what the head says of it, and how it is sent. Methods of the alternatives instead of a
/// switch over them: the first pattern switch of a process costs it several milliseconds.
sealed interface HttpBody {
    void describe(StringBuilder head);

    /// Sends head and body, in one write if they are small.
    void send(byte[] head, OutputStream out) throws IOException;

    record None(boolean isExpected) implements HttpBody {
        @Override
        public void describe(StringBuilder head) {
            if (isExpected) {
                head.append("\r\nContent-Length: 0");
            }
        }

        @Override
        public void send(byte[] head, OutputStream out) throws IOException {
            out.write(head);
        }
    }

    record Bytes(byte[] content) implements HttpBody {
        @Override
        public void describe(StringBuilder head) {
            head.append("\r\nContent-Type: application/json\r\nContent-Length: ")
                    .append(content.length);
        }

        @Override
        public void send(byte[] head, OutputStream out) throws IOException {
            byte[] all = new byte[head.length + content.length];
            System.arraycopy(head, 0, all, 0, head.length);
            System.arraycopy(content, 0, all, head.length, content.length);
            out.write(all);
        }
    }

    /// Of unknown length; sent as it comes.
    record Stream(InputStream content) implements HttpBody {
        private static final int PIECE_BYTES = 128 * 1024;
        /// The size of a piece in hexadecimal digits, and the end of its line.
        private static final int SIZE_BYTES = 10;

        private static final byte[] LINE_END = ascii("\r\n");

        @Override
        public void describe(StringBuilder head) {
            head.append("\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked");
        }

        /// Each piece is one write: its size, its bytes and the line's end lie side by side.
        @Override
        public void send(byte[] head, OutputStream out) throws IOException {
            out.write(head);
            byte[] piece = new byte[SIZE_BYTES + PIECE_BYTES + LINE_END.length];
            for (int count = content.read(piece, SIZE_BYTES, PIECE_BYTES);
                    count >= 0;
                    count = content.read(piece, SIZE_BYTES, PIECE_BYTES)) {
                if (count > 0) {
                    byte[] size = ascii(Integer.toHexString(count) + "\r\n");
                    int start = SIZE_BYTES - size.length;
                    System.arraycopy(size, 0, piece, start, size.length);
                    System.arraycopy(LINE_END, 0, piece, SIZE_BYTES + count, LINE_END.length);
                    out.write(piece, start, size.length + count + LINE_END.length);
                }
            }
            out.write(ascii("0\r\n\r\n"));
        }

        private static byte[] ascii(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
