package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// An API key.
///
/// @param id public name, the key's first characters
/// @param secret the key itself, only in the answer that made it
public record KeyResponse(
        String id,
        String tenant,
        String role,
        String label,
        String createdAt,
        @Nullable String secret) {

    /// Never the secret.
    @Override
    public String toString() {
        return "KeyResponse[" + id + ", tenant=" + tenant + ", role=" + role + "]";
    }
}
