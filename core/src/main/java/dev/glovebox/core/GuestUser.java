package dev.glovebox.core;

import java.util.regex.Pattern;

/// A user inside a sandbox, by name. It means nothing on the host.
public record GuestUser(String name) {
    // Before the constants, whose construction needs it.
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");

    /// May do everything that the sandbox itself allows.
    public static final GuestUser ROOT = new GuestUser("root");
    /// Whom templates of Glovebox run programs as.
    public static final GuestUser USER = new GuestUser("user");

    public GuestUser {
        if (!NAME.matcher(name).matches()) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a user's name is 1 to 32 of a-z, 0-9, '_' and '-', and begins with a letter or '_'");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
