package dev.glovebox.sdk;

import dev.glovebox.wire.api.Content;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// Bytes as [Content] and back.
public final class Contents {
    private Contents() {}

    /// As text if the bytes are UTF-8, else as base64.
    public static Content of(byte[] bytes) {
        try {
            return new Content(
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString(),
                    null);
        } catch (CharacterCodingException e) {
            return new Content(null, Base64.getEncoder().encodeToString(bytes));
        }
    }

    /// The bytes that the content stands for.
    ///
    /// @throws MalformedJsonException unless exactly one of its parts is set and, if that is base64, valid
    public static byte[] bytes(Content content) {
        String text = content.text();
        String base64 = content.base64();
        if (text != null && base64 == null) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        if (base64 != null && text == null) {
            return ofBase64(base64);
        }
        throw new MalformedJsonException("a content has exactly one of 'text' and 'base64'");
    }

    /// The bytes that a base64 text stands for.
    public static byte[] ofBase64(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new MalformedJsonException("a base64 text holds something that is not base64 (RFC 4648 §4)");
        }
    }
}
