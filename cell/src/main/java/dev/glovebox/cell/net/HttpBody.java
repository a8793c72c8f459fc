package dev.glovebox.cell.net;

import java.io.IOException;
import java.util.regex.Pattern;

/// The body of an answer, as it comes. Not thread-safe.
final class HttpBody {
    private static final Pattern CHUNK = Pattern.compile("([0-9A-Fa-f]{1,15})[ \\t]*(?:;.*)?");
    private static final int HEX = 16;

    /// How the end is found.
    sealed interface Framing {
        record Length(long bytes) implements Framing {}

        record Chunked() implements Framing {}

        record ToTheEnd() implements Framing {}
    }

    private final HttpLines in;
    private final Framing framing;
    /// Of the body, or of the chunk that is being read.
    private long left;

    private boolean isInChunk;
    private boolean isOver;

    HttpBody(HttpLines in, Framing framing) {
        this.in = in;
        this.framing = framing;
        if (framing instanceof Framing.Length(long bytes)) {
            left = bytes;
            isOver = bytes == 0;
        }
    }

    /// At least one byte, or -1 at the end.
    int read(byte[] target) throws IOException {
        if (isOver) {
            return -1;
        }
        return switch (framing) {
            case Framing.ToTheEnd _ -> {
                int count = in.read(target, target.length);
                isOver = count < 0;
                yield count;
            }
            case Framing.Length _ -> {
                int count = readSome(target);
                isOver = left == 0;
                yield count;
            }
            case Framing.Chunked _ -> readChunked(target);
        };
    }

    private int readChunked(byte[] target) throws IOException {
        if (left == 0) {
            if (isInChunk && !in.line().isEmpty()) {
                throw HttpHead.malformed("a chunk is longer than it says");
            }
            var size = CHUNK.matcher(in.line());
            if (!size.matches()) {
                throw HttpHead.malformed("a chunk does not say how long it is");
            }
            left = Long.parseLong(size.group(1), HEX);
            isInChunk = true;
            if (left == 0) {
                isOver = true;
                in.lines();
                return -1;
            }
        }
        return readSome(target);
    }

    private int readSome(byte[] target) throws IOException {
        int count = in.read(target, (int) Math.min(left, target.length));
        if (count < 0) {
            throw new ConnectionFailed("", "the answer is cut short");
        }
        left -= count;
        return count;
    }
}
