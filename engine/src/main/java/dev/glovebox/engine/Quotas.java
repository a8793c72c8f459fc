package dev.glovebox.engine;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.policy.Policy;
import java.util.HashMap;
import java.util.Map;

/// How much of what is finite is in use: sandboxes of a tenant and of the server, runs of a tenant. Whoever takes one
/// gives it back. Thread-safe.
final class Quotas {
    private final Map<TenantId, Integer> sandboxes = new HashMap<>();
    private final Map<TenantId, Integer> runs = new HashMap<>();
    private int sandboxesOfAll;

    synchronized void takeSandbox(TenantId tenant, Policy policy) {
        int used = sandboxes.getOrDefault(tenant, 0);
        if (used >= policy.sandboxesMax()) {
            throw new GloveboxException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "this tenant has " + used + " sandboxes, the bound of its policy: end one or wait for a lease to"
                            + " run out");
        }
        if (sandboxesOfAll >= Limits.SANDBOXES_MAX) {
            throw new GloveboxException(
                    ErrorCode.OVERLOADED,
                    "this server has " + sandboxesOfAll + " sandboxes, its bound: try again later");
        }
        sandboxes.merge(tenant, 1, Integer::sum);
        sandboxesOfAll++;
    }

    synchronized void giveSandbox(TenantId tenant) {
        give(sandboxes, tenant);
        sandboxesOfAll--;
    }

    synchronized void takeRun(TenantId tenant) {
        int used = runs.getOrDefault(tenant, 0);
        if (used >= Limits.RUNS_PER_TENANT_MAX) {
            throw new GloveboxException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "this tenant has " + used + " runs under way, the bound: try again when one has ended");
        }
        runs.merge(tenant, 1, Integer::sum);
    }

    synchronized void giveRun(TenantId tenant) {
        give(runs, tenant);
    }

    synchronized int sandboxesOfAll() {
        return sandboxesOfAll;
    }

    private static void give(Map<TenantId, Integer> counts, TenantId tenant) {
        counts.computeIfPresent(tenant, (_, used) -> used > 1 ? used - 1 : null);
    }
}
