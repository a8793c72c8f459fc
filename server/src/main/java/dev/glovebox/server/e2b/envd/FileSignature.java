package dev.glovebox.server.e2b.envd;

import dev.glovebox.server.e2b.SandboxTokens;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;

/// Who may read or write a file by its address alone: one whose address bears a signature that only those can make who
/// know the sandbox's token. It covers path, direction and user, and its own end.
final class FileSignature {
    private static final String PREFIX = "v1_";
    private static final int EXPIRATION_DIGITS_MAX = 12;

    private FileSignature() {}

    /// What a file is wanted for.
    enum Operation {
        READ,
        WRITE;

        String word() {
            return this == READ ? "read" : "write";
        }
    }

    /// Refuses a request that knows neither the sandbox's token nor has a signature.
    static void require(EnvdCall call, Operation operation) {
        if (!call.target().sandbox().facts().secured()) {
            return;
        }
        Optional<String> given = call.header(EnvdCall.ACCESS_TOKEN);
        if (given.isPresent()) {
            if (!SandboxTokens.equal(call.token(), given.get())) {
                throw HttpRefusal.unauthorized("access token present in header but does not match");
            }
            return;
        }
        String signature = call.query("signature")
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> HttpRefusal.unauthorized("missing signature query parameter"));
        Optional<String> expiration = call.query("signature_expiration").filter(text -> !text.isEmpty());
        String right = of(
                call.query("path").orElse(""), operation, call.query("username").orElse(""), call.token(), expiration);
        if (!SandboxTokens.equal(right, signature)) {
            throw HttpRefusal.unauthorized("invalid signature");
        }
        if (expiration.isPresent()
                && seconds(expiration.get()) < call.clock().instant().getEpochSecond()) {
            throw HttpRefusal.unauthorized("signature is already expired");
        }
    }

    private static long seconds(String text) {
        if (text.length() > EXPIRATION_DIGITS_MAX || !text.matches("[0-9]+")) {
            throw HttpRefusal.invalid("the query parameter 'signature_expiration' is a number of seconds since 1970");
        }
        return Long.parseLong(text);
    }

    static String of(String path, Operation operation, String user, String token, Optional<String> expiration) {
        String text = path + ":" + operation.word() + ":" + user + ":" + token
                + expiration.map(time -> ":" + time).orElse("");
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return PREFIX + Base64.getEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
