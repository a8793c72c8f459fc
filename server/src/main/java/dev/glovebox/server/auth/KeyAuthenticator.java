package dev.glovebox.server.auth;

import dev.glovebox.core.Principal;
import dev.glovebox.engine.Keys;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// API keys: `Authorization: Bearer e2b_…` or `X-API-KEY: e2b_…`.
public final class KeyAuthenticator implements Authenticator {
    private static final String BEARER = "bearer ";

    private final Keys keys;

    public KeyAuthenticator(Keys keys) {
        this.keys = keys;
    }

    @Override
    public Optional<Principal> principal(@Nullable String authorization, @Nullable String apiKey) {
        return keys.authenticate(apiKey != null ? apiKey.strip() : bearer(authorization));
    }

    private static String bearer(@Nullable String authorization) {
        String header = authorization == null ? "" : authorization;
        boolean isBearer = header.regionMatches(true, 0, BEARER, 0, BEARER.length());
        return isBearer ? header.substring(BEARER.length()).strip() : "";
    }
}
