package dev.glovebox.sdk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/// The body of a response, as its framing (RFC 9112 §6, §7) delimits it. The connection below stays open.
final class FramedInput extends InputStream {
    private static final int CHUNK_HEAD_BYTES_MAX = 4096;

    private final InputStream in;
    private final boolean chunked;
    private long left;
    private boolean ended;
    private boolean begun;

    private FramedInput(InputStream in, boolean chunked, long left) {
        this.in = in;
        this.chunked = chunked;
        this.left = left;
        this.ended = !chunked && left == 0;
    }

    static FramedInput chunked(InputStream in) {
        return new FramedInput(in, true, 0);
    }

    static FramedInput ofLength(InputStream in, long length) {
        return new FramedInput(in, false, length);
    }

    /// Whether all of it was read: only then may the connection serve again.
    boolean isConsumed() {
        return ended;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!ended && left == 0) {
            nextChunk();
        }
        if (ended) {
            return -1;
        }
        int count = in.read(target, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new EOFException("the server closed the connection in the middle of its answer");
        }
        left -= count;
        ended = !chunked && left == 0;
        return count;
    }

    private void nextChunk() throws IOException {
        int[] budget = {CHUNK_HEAD_BYTES_MAX};
        if (begun && !HttpConnection.readLine(in, budget).isEmpty()) {
            throw new IOException("the server's answer is not framed as HTTP/1.1 says");
        }
        begun = true;
        String size = HttpConnection.readLine(in, budget).split(";", 2)[0].strip();
        try {
            left = Long.parseLong(size, 16);
        } catch (NumberFormatException e) {
            throw new IOException("the server's answer has a chunk of size '" + size + "'", e);
        }
        if (left < 0) {
            throw new IOException("the server's answer has a chunk of size '" + size + "'");
        }
        if (left == 0) {
            ended = true;
            while (!HttpConnection.readLine(in, budget).isEmpty()) {
                // Trailers say nothing that is needed here.
            }
        }
    }
}
