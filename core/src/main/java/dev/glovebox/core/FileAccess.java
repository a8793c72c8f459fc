package dev.glovebox.core;

import java.util.Optional;

/// With whose rights a file is worked on. In a tier with only one user both are passed over.
///
/// @param user whose rights; empty: those of the sandbox's default user
/// @param owner to whom belongs what is made; empty: to that user. Another than oneself only root may name
public record FileAccess(Optional<GuestUser> user, Optional<GuestUser> owner) {
    /// As the sandbox's default user.
    public static final FileAccess DEFAULT = new FileAccess(Optional.empty(), Optional.empty());

    public static FileAccess as(GuestUser user) {
        return new FileAccess(Optional.of(user), Optional.empty());
    }

    /// Root's rights; what is made belongs to `owner`.
    public static FileAccess rootFor(GuestUser owner) {
        return new FileAccess(Optional.of(GuestUser.ROOT), Optional.of(owner));
    }
}
