package dev.glovebox.core.store;

import dev.glovebox.core.Page;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Sandboxes, alive and dead. Thread-safe. A change is on the disk when the call returns.
public interface SandboxStore {
    /// Inserts or replaces.
    void save(Sandbox sandbox);

    Optional<Sandbox> find(SandboxId id);

    /// Sandboxes of a tenant that are not dead, newest first.
    ///
    /// @param metadata all must match
    /// @param cursor the `next` of the page before
    /// @throws dev.glovebox.core.GloveboxException INVALID_ARGUMENT for a cursor that is none
    Page<Sandbox> list(TenantId tenant, Map<String, String> metadata, int pageSize, Optional<String> cursor);

    /// All that are not dead, of every tenant: what `Reclaim` looks at.
    List<Sandbox> alive();
}
