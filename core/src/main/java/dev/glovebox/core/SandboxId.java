package dev.glovebox.core;

import java.util.random.RandomGenerator;

/// Names a sandbox: `i` and 20 characters of `[a-z0-9]`, so that it is one DNS label and works with E2B's clients.
/// It is unguessable (103 bits) but not a credential.
public record SandboxId(String value) {
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int RANDOM_LENGTH = 20;

    public SandboxId {
        if (value.length() != RANDOM_LENGTH + 1 || value.charAt(0) != 'i' || !isPlain(value)) {
            throw new GloveboxException(
                    ErrorCode.SANDBOX_NOT_FOUND, "no such sandbox: an id is 'i' followed by 20 of a-z and 0-9");
        }
    }

    /// A new id. `random` must be cryptographically strong.
    public static SandboxId random(RandomGenerator random) {
        StringBuilder text = new StringBuilder("i");
        for (int i = 0; i < RANDOM_LENGTH; i++) {
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return new SandboxId(text.toString());
    }

    private static boolean isPlain(String text) {
        return text.chars().allMatch(c -> ALPHABET.indexOf(c) >= 0);
    }

    @Override
    public String toString() {
        return value;
    }
}
