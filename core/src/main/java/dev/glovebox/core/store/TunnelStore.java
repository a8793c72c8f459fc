package dev.glovebox.core.store;

import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import java.util.List;

/// Tunnels that administrators define for tenants. Thread-safe. A change is on the disk when the call returns.
public interface TunnelStore {
    /// Inserts or replaces.
    ///
    /// @throws dev.glovebox.core.GloveboxException QUOTA_EXCEEDED if the tenant has too many
    void put(TenantId tenant, Tunnel tunnel);

    /// A tenant's, by name.
    List<Tunnel> list(TenantId tenant);

    /// Whether there was one.
    boolean remove(TenantId tenant, TunnelName name);
}
