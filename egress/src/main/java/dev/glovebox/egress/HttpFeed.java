package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Reads messages from a stream: heads whole, bodies in pieces that are passed on in a form of our own. Not
/// thread-safe.
final class HttpFeed {
    private static final int BUFFER_BYTES = 16 * 1024;
    /// A chunk's first line: the number, and an extension that is dropped.
    private static final int CHUNK_LINE_BYTES_MAX = 1024;
    private static final byte[] LINE_END = {'\r', '\n'};

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int to;

    HttpFeed(InputStream in) {
        this.in = in;
    }

    /// Whether a byte is there; waits for one. False at the end.
    boolean awaitByte() throws IOException {
        while (from == to) {
            int read = in.read(buffer, 0, buffer.length);
            if (read < 0) {
                return false;
            }
            from = 0;
            to = read;
        }
        return true;
    }

    /// The next head with its empty line; empty at the end of the stream.
    ///
    /// @throws HttpRefusal if it is too long, or the stream ends within it
    Optional<byte[]> head() throws IOException, HttpRefusal {
        if (!awaitByte()) {
            return Optional.empty();
        }
        byte[] head = new byte[1024];
        int length = 0;
        while (awaitByte()) {
            if (length == Limits.EGRESS_REQUEST_HEAD_BYTES_MAX) {
                throw HttpHead.malformed("its head is longer than " + length + " bytes");
            }
            if (length == head.length) {
                head = java.util.Arrays.copyOf(head, 2 * length);
            }
            head[length++] = buffer[from++];
            if (HeadEnd.isEnd(head, length)) {
                return Optional.of(java.util.Arrays.copyOf(head, length));
            }
        }
        throw HttpHead.malformed("it ends within its head");
    }

    /// Passes a body on.
    ///
    /// @throws HttpRefusal if it is not framed as its head says
    void body(BodyFraming framing, OutputStream out) throws IOException, HttpRefusal {
        switch (framing) {
            case BodyFraming.Length length -> copy(length.bytes(), out);
            case BodyFraming.Chunked _ -> chunks(out);
        }
    }

    /// Passes on everything until the stream ends.
    void rest(OutputStream out) throws IOException {
        while (awaitByte()) {
            out.write(buffer, from, to - from);
            from = to;
            out.flush();
        }
    }

    /// Reads everything until the stream ends, and drops it.
    void skip() throws IOException {
        while (awaitByte()) {
            from = to;
        }
    }

    private void copy(long bytes, OutputStream out) throws IOException {
        long left = bytes;
        while (left > 0) {
            if (!awaitByte()) {
                throw new EOFException("the guest ended within a body");
            }
            int part = (int) Math.min(left, to - from);
            out.write(buffer, from, part);
            from += part;
            left -= part;
            out.flush();
        }
    }

    private void chunks(OutputStream out) throws IOException, HttpRefusal {
        while (true) {
            long size = chunkSize(line());
            if (size == 0) {
                skipTrailers();
                out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                out.flush();
                return;
            }
            out.write((Long.toHexString(size) + "\r\n").getBytes(StandardCharsets.US_ASCII));
            copy(size, out);
            if (!line().isEmpty()) {
                throw BodyFraming.refusal("a chunk is longer than it says");
            }
            out.write(LINE_END);
        }
    }

    private static long chunkSize(String line) throws HttpRefusal {
        int end = line.indexOf(';');
        String number = end < 0 ? line : line.substring(0, end);
        if (!number.matches("[0-9a-fA-F]{1,15}")) {
            throw BodyFraming.refusal("a chunk does not begin with its size");
        }
        return Long.parseLong(number, 16);
    }

    /// Fields after the last chunk are read and dropped: no rule has seen them.
    private void skipTrailers() throws IOException, HttpRefusal {
        int bytes = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            HttpHead.field(line);
            bytes += line.length();
            if (bytes > Limits.EGRESS_REQUEST_HEAD_BYTES_MAX) {
                throw BodyFraming.refusal("there is no end to the fields after the last chunk");
            }
        }
    }

    private String line() throws IOException, HttpRefusal {
        StringBuilder line = new StringBuilder();
        while (true) {
            if (!awaitByte()) {
                throw new EOFException("the guest ended within a body");
            }
            char next = (char) (buffer[from++] & 0xff);
            if (next == '\n') {
                throw BodyFraming.refusal("a line ends without a carriage return");
            }
            if (next == '\r') {
                if (!awaitByte() || buffer[from++] != '\n') {
                    throw BodyFraming.refusal("a line ends without a line feed");
                }
                return line.toString();
            }
            if (line.length() == CHUNK_LINE_BYTES_MAX) {
                throw BodyFraming.refusal("a line of a chunk is longer than " + CHUNK_LINE_BYTES_MAX + " bytes");
            }
            line.append(next);
        }
    }
}
