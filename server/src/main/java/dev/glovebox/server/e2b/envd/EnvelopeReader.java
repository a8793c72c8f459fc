package dev.glovebox.server.e2b.envd;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// The messages of a stream from a client: each has one byte of flags and four of length before it. Not thread-safe.
final class EnvelopeReader {
    static final int HEAD_BYTES = 5;
    private static final int COMPRESSED = 1;

    private final InputStream in;
    private final int bytesMax;

    /// Messages of at most so many bytes.
    EnvelopeReader(InputStream in, int bytesMax) {
        this.in = in;
        this.bytesMax = bytesMax;
    }

    /// The next message; empty at the end of the stream.
    Optional<ConnectMessage> next() {
        try {
            byte[] head = in.readNBytes(HEAD_BYTES);
            if (head.length == 0) {
                return Optional.empty();
            }
            if (head.length < HEAD_BYTES) {
                throw ConnectFailure.invalid("the stream ends within the head of a message");
            }
            if (head[0] != 0) {
                throw flagged(head[0]);
            }
            return Optional.of(
                    ConnectMessage.parse(payload(ByteBuffer.wrap(head).getInt(1))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] payload(int length) throws IOException {
        if (length < 0 || length > bytesMax) {
            throw tooLarge(Integer.toUnsignedLong(length), bytesMax);
        }
        byte[] payload = in.readNBytes(length);
        if (payload.length < length) {
            throw ConnectFailure.invalid(
                    "the stream ends after " + payload.length + " of a message's " + length + " bytes");
        }
        return payload;
    }

    private static ConnectFailure flagged(byte flags) {
        return flags == COMPRESSED
                ? new ConnectFailure(ConnectCode.UNIMPLEMENTED, "compressed messages are not understood here")
                : ConnectFailure.invalid("a message from a client has the flags 0, not " + Byte.toUnsignedInt(flags));
    }

    static ConnectFailure tooLarge(long bytes, int bytesMax) {
        return new ConnectFailure(
                ConnectCode.RESOURCE_EXHAUSTED,
                "the message has " + bytes + " bytes; the bound is " + bytesMax
                        + ": put large content into files, or send it in parts");
    }
}
