package dev.glovebox.core;

import java.time.Instant;

/// An API key as the server knows it: by its hash. The key itself is told once, when it is made.
///
/// @param id public name, the key's first characters
/// @param sha256 hash of the whole key, hexadecimal; keys are 160 random bits, so a plain hash is enough
public record ApiKey(String id, String sha256, TenantId tenant, Principal.Role role, String label, Instant createdAt) {

    /// Never the hash.
    @Override
    public String toString() {
        return "ApiKey[" + id + ", tenant=" + tenant + ", role=" + role + "]";
    }
}
