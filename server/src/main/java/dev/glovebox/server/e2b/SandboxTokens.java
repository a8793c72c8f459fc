package dev.glovebox.server.e2b;

import dev.glovebox.core.SandboxId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// The tokens of sandboxes: an HMAC of what a token is for and of the sandbox's id, with a key that this installation
/// made for itself. So nothing is kept per sandbox, a token outlives a restart, and none fits another sandbox.
/// Immutable and thread-safe.
public final class SandboxTokens {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private final SecretKeySpec key;

    /// Tokens of a key of 32 random bytes.
    public SandboxTokens(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException(
                    "a key of sandbox tokens has " + KEY_BYTES + " bytes, not " + key.length);
        }
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /// The tokens of the key in a file, which is made for its owner alone if it is missing.
    public static SandboxTokens open(Path file, SecureRandom random) {
        try {
            if (!Files.exists(file)) {
                byte[] made = new byte[KEY_BYTES];
                random.nextBytes(made);
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                Files.write(file, made, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
            }
            return new SandboxTokens(Files.readAllBytes(file));
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the key of sandbox tokens in " + file + " cannot be used: " + e.getMessage()
                            + "; without the file a new one is made, and sandboxes' tokens change",
                    e);
        }
    }

    /// Proves that its holder may use the sandbox: E2B's `envdAccessToken`.
    public String access(SandboxId sandbox) {
        return token("access", sandbox);
    }

    /// Proves that its holder may use the sandbox's ports: E2B's `trafficAccessToken`.
    public String traffic(SandboxId sandbox) {
        return token("traffic", sandbox);
    }

    /// Whether `given` is the sandbox's [#access]; takes the same time whatever of it is right.
    public boolean isAccess(SandboxId sandbox, @Nullable String given) {
        return matches(access(sandbox), given);
    }

    /// Whether `given` is the sandbox's [#traffic]; takes the same time whatever of it is right.
    public boolean isTraffic(SandboxId sandbox, @Nullable String given) {
        return matches(traffic(sandbox), given);
    }

    private static boolean matches(String right, @Nullable String given) {
        return given != null && equal(right, given);
    }

    /// Compares secrets, in the same time whatever of them is equal.
    public static boolean equal(String right, String given) {
        return MessageDigest.isEqual(right.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    private String token(String purpose, SandboxId sandbox) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of()
                    .formatHex(mac.doFinal((purpose + "/" + sandbox.value()).getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
