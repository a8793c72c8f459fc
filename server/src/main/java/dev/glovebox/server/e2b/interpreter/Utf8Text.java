package dev.glovebox.server.e2b.interpreter;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/// Bytes that come in pieces, as text: a character that is split between two pieces comes with the second; what is no
/// UTF-8 becomes U+FFFD. Not thread-safe.
final class Utf8Text {
    private static final int TAIL_BYTES_MAX = 3;

    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private byte[] tail = new byte[0];

    /// What is complete.
    String push(byte[] bytes) {
        return decode(bytes, false);
    }

    /// The rest.
    String finish() {
        return decode(new byte[0], true);
    }

    private String decode(byte[] bytes, boolean isLast) {
        ByteBuffer in = ByteBuffer.allocate(tail.length + bytes.length)
                .put(tail)
                .put(bytes)
                .flip();
        CharBuffer out = CharBuffer.allocate(in.remaining() + TAIL_BYTES_MAX);
        decoder.decode(in, out, isLast);
        if (isLast) {
            decoder.flush(out);
            decoder.reset();
        }
        tail = new byte[in.remaining()];
        in.get(tail);
        return out.flip().toString();
    }
}
