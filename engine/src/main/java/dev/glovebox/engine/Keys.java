package dev.glovebox.engine;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.store.KeyStore;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/// Makes and checks API keys. A key is `e2b_` and 40 hexadecimal digits, so that E2B's clients accept it; only its hash
/// is kept. Thread-safe.
public final class Keys {
    private static final Pattern SHAPE = Pattern.compile("e2b_[0-9a-f]{40}");
    private static final int RANDOM_BYTES = 20;
    /// What of a key is public: enough to tell keys apart, far too little to guess one.
    private static final int ID_CHARS = 12;

    private static final int LABEL_CHARS_MAX = 100;

    private final KeyStore store;
    private final RandomGenerator random;
    private final Clock clock;

    /// Keys of a store.
    ///
    /// @param random must be cryptographically strong
    public Keys(KeyStore store, RandomGenerator random, Clock clock) {
        this.store = store;
        this.random = random;
        this.clock = clock;
    }

    /// Whose key this is; empty for anything that is not a valid key. Keys are found by their hash, so how long this
    /// takes says nothing about how much of a guess was right.
    public Optional<Principal> authenticate(String secret) {
        if (!SHAPE.matcher(secret).matches()) {
            return Optional.empty();
        }
        String hash = hash(secret);
        return store.findByHash(hash)
                .filter(key -> MessageDigest.isEqual(ascii(key.sha256()), ascii(hash)))
                .map(key -> new Principal(key.tenant(), key.id(), key.role()));
    }

    Command.NewKey create(TenantId tenant, Principal.Role role, String label) {
        if (label.length() > LABEL_CHARS_MAX || label.chars().anyMatch(Character::isISOControl)) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a key's label has at most " + LABEL_CHARS_MAX + " characters and no control characters");
        }
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String secret = "e2b_" + HexFormat.of().formatHex(bytes);
        ApiKey key = new ApiKey(secret.substring(0, ID_CHARS), hash(secret), tenant, role, label, clock.instant());
        store.add(key);
        return new Command.NewKey(key, secret);
    }

    void revoke(String id) {
        if (!store.remove(id)) {
            throw new GloveboxException(ErrorCode.KEY_NOT_FOUND, "there is no such key: 'glovebox key list' shows all");
        }
    }

    /// What of a key is kept: its SHA-256, in hexadecimal.
    public static String hash(String secret) {
        return AuditTrail.sha256(ascii(secret));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
