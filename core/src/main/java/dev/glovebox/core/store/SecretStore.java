package dev.glovebox.core.store;

import dev.glovebox.core.TenantId;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import java.util.List;
import java.util.Optional;

/// Secrets of tenants, sealed. Thread-safe. A change is on the disk when the call returns.
public interface SecretStore {
    /// Inserts or replaces.
    ///
    /// @throws dev.glovebox.core.GloveboxException QUOTA_EXCEEDED if the tenant has too many
    void put(Secret secret, SecretValue value);

    /// A tenant's, by name; without their values.
    List<Secret> list(TenantId tenant);

    /// Whether there was one.
    boolean remove(TenantId tenant, SecretName name);

    /// A secret with its value, for nobody but the proxy that sends it: both from one moment, so that a value
    /// is never taken for bound to hosts of an earlier one.
    ///
    /// @throws dev.glovebox.core.GloveboxException INTERNAL if it was sealed with another key, or changed
    ///     since
    Optional<Opened> open(TenantId tenant, SecretName name);

    /// A secret that was opened.
    record Opened(Secret secret, SecretValue value) {}
}
