package dev.glovebox.core.store;

import dev.glovebox.core.ApiKey;
import java.util.List;
import java.util.Optional;

/// API keys by their hashes. Thread-safe.
public interface KeyStore {
    void add(ApiKey key);

    Optional<ApiKey> findByHash(String sha256);

    /// Oldest first.
    List<ApiKey> list();

    /// Whether there was one.
    boolean remove(String id);
}
