package dev.glovebox.server.auth;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.Principal;
import dev.glovebox.core.store.KeyStore;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// API keys: `Authorization: Bearer e2b_…` or `X-API-KEY: e2b_…`. A key is looked up by its hash and never
/// kept, shown or logged.
public final class KeyAuthenticator implements Authenticator {
    /// `e2b_` so that E2B's clients, which check the shape, accept our keys.
    private static final Pattern SHAPE = Pattern.compile("e2b_[0-9a-f]{40}");

    private static final String BEARER = "bearer ";

    private final KeyStore keys;

    public KeyAuthenticator(KeyStore keys) {
        this.keys = keys;
    }

    @Override
    public Optional<Principal> principal(@Nullable String authorization, @Nullable String apiKey) {
        String key = apiKey != null ? apiKey.strip() : bearer(authorization);
        if (!SHAPE.matcher(key).matches()) {
            return Optional.empty();
        }
        String hash = sha256(key);
        return keys.findByHash(hash)
                .filter(found -> isSame(found.sha256(), hash))
                .map(KeyAuthenticator::principalOf);
    }

    /// The hash that a key is stored by.
    public static String sha256(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String bearer(@Nullable String authorization) {
        String header = authorization == null ? "" : authorization;
        boolean isBearer = header.regionMatches(true, 0, BEARER, 0, BEARER.length());
        return isBearer ? header.substring(BEARER.length()).strip() : "";
    }

    private static boolean isSame(String left, String right) {
        return MessageDigest.isEqual(
                left.getBytes(StandardCharsets.US_ASCII), right.getBytes(StandardCharsets.US_ASCII));
    }

    private static Principal principalOf(ApiKey key) {
        return new Principal(key.tenant(), key.id(), key.role());
    }
}
