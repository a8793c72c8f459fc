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
        @Override
        public void describe(StringBuilder head) {
            head.append("\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked");
        }

        @Override
        public void send(byte[] head, OutputStream out) throws IOException {
            out.write(head);
            byte[] buffer = new byte[32 * 1024];
            for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
                if (count > 0) {
                    out.write(ascii(Integer.toHexString(count) + "\r\n"));
                    out.write(buffer, 0, count);
                    out.write(ascii("\r\n"));
                }
            }
            out.write(ascii("0\r\n\r\n"));
        }

        private static byte[] ascii(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
