package dev.glovebox.backends.template;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// What images are named by.
final class Sha256 {
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");
    private static final int BUFFER_BYTES = 1 << 20;

    private final MessageDigest digest;

    Sha256() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Adds bytes with their number, so that parts cannot be taken for one another.
    void part(byte[] bytes) {
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(bytes.length).array());
        digest.update(bytes);
    }

    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }

    static boolean isOne(String text) {
        return HEX.matcher(text).matches();
    }

    static String of(Path file) throws IOException {
        Sha256 sha256 = new Sha256();
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                sha256.digest.update(buffer, 0, count);
            }
        }
        return sha256.hex();
    }
}
