package dev.glovebox.engine;

import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.policy.Policy;
import java.util.Map;
import java.util.Set;

/// Which policy a tenant has. Immutable and thread-safe.
///
/// @param byTenant tenants with a policy of their own
/// @param otherwise everybody else's
public record Policies(Map<TenantId, Policy> byTenant, Policy otherwise) {
    /// Every tier that is a boundary against hostile code, the product's own bounds, one cell for the tenant.
    /// `jail` shares the host's kernel: a policy has to name it.
    public static final Policy STANDARD = new Policy(
            Set.of(Tier.WASM, Tier.ISOLATE, Tier.GVISOR, Tier.MICROVM),
            new ResourceLimits(
                    Limits.WALL_TIME_MAX,
                    Limits.CPU_TIME_MAX,
                    Limits.MEMORY_BYTES_MAX,
                    Limits.OUTPUT_BYTES_MAX,
                    Limits.DISK_BYTES_MAX,
                    Limits.FILE_COUNT_MAX),
            Limits.LEASE_MAX,
            Limits.SANDBOXES_PER_TENANT_MAX,
            false);

    /// For whoever runs Glovebox on their own machine without a server: the standard, and `jail` if they name it.
    public static final Policy LOCAL = new Policy(
            Set.of(Tier.WASM, Tier.ISOLATE, Tier.JAIL, Tier.GVISOR, Tier.MICROVM),
            STANDARD.limitsMax(),
            STANDARD.leaseMax(),
            STANDARD.sandboxesMax(),
            STANDARD.cellPerSandbox());

    public Policies {
        byTenant = Map.copyOf(byTenant);
    }

    /// The standard policy for everybody.
    public static Policies standard() {
        return new Policies(Map.of(), STANDARD);
    }

    /// The local policy for everybody.
    public static Policies local() {
        return new Policies(Map.of(), LOCAL);
    }

    public Policy of(TenantId tenant) {
        return byTenant.getOrDefault(tenant, otherwise);
    }
}
