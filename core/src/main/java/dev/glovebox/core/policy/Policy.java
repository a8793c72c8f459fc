package dev.glovebox.core.policy;

import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.NetworkPolicy;
import java.time.Duration;
import java.util.Set;

/// What one tenant may have. Pure: [#decide] looks at nothing but its arguments. Everything is finite, and what is not
/// allowed by a rule here is denied.
///
/// @param tiers tiers that the tenant may use; [Tier#JAIL] only ever by name, never through `auto`
/// @param limitsMax the most that a run or sandbox may ask for
/// @param leaseMax the longest lease
/// @param sandboxesMax sandboxes alive at once
/// @param cellPerSandbox whether each sandbox gets a cell of its own instead of sharing the tenant's
/// @param networkOpenable whether sandboxes may reach what their own rules open
public record Policy(
        Set<Tier> tiers,
        ResourceLimits limitsMax,
        Duration leaseMax,
        int sandboxesMax,
        boolean cellPerSandbox,
        boolean networkOpenable) {
    public Policy {
        tiers = Set.copyOf(tiers);
    }

    /// Whose sandboxes may reach what their own rules open.
    public Policy(
            Set<Tier> tiers, ResourceLimits limitsMax, Duration leaseMax, int sandboxesMax, boolean cellPerSandbox) {
        this(tiers, limitsMax, leaseMax, sandboxesMax, cellPerSandbox, true);
    }

    /// May the tenant use this tier?
    public Decision decideTier(Tier tier) {
        if (tiers.contains(tier)) {
            return new Decision.Allow("tier." + tier.word());
        }
        return new Decision.Deny(
                "tier." + tier.word(),
                "the policy of this tenant allows the tiers " + words() + ", not " + tier.word()
                        + (tier == Tier.JAIL ? ": whoever runs the server opens it with 'serve --allow-jail'" : ""));
    }

    /// May a run or a sandbox have these limits?
    public Decision decideLimits(ResourceLimits asked) {
        String excess = firstExcess(asked);
        return excess.isEmpty()
                ? new Decision.Allow("limits.max")
                : new Decision.Deny("limits.max", excess + " of this tenant's policy");
    }

    /// May a sandbox live this long from now?
    public Decision decideLease(Duration lease) {
        return lease.compareTo(leaseMax) <= 0
                ? new Decision.Allow("lease.max")
                : new Decision.Deny(
                        "lease.max",
                        "a lease of " + lease.toSeconds() + " s is longer than the " + leaseMax.toSeconds()
                                + " s of this tenant's policy");
    }

    /// May a run or a sandbox reach what these rules open?
    public Decision decideNetwork(NetworkPolicy network) {
        return networkOpenable || network.reachesNothing()
                ? new Decision.Allow("network.open")
                : new Decision.Deny(
                        "network.open", "the policy of this tenant keeps the network of sandboxes closed: ask without");
    }

    private String words() {
        return String.join(", ", tiers.stream().map(Tier::word).sorted().toList());
    }

    private String firstExcess(ResourceLimits asked) {
        if (asked.wallTime().compareTo(limitsMax.wallTime()) > 0) {
            return excess(
                    "wall time in ms",
                    asked.wallTime().toMillis(),
                    limitsMax.wallTime().toMillis());
        }
        if (asked.cpuTime().compareTo(limitsMax.cpuTime()) > 0) {
            return excess(
                    "cpu time in ms",
                    asked.cpuTime().toMillis(),
                    limitsMax.cpuTime().toMillis());
        }
        if (asked.memoryBytes() > limitsMax.memoryBytes()) {
            return excess("memory in bytes", asked.memoryBytes(), limitsMax.memoryBytes());
        }
        if (asked.outputBytes() > limitsMax.outputBytes()) {
            return excess("output in bytes", asked.outputBytes(), limitsMax.outputBytes());
        }
        if (asked.diskBytes() > limitsMax.diskBytes()) {
            return excess("disk in bytes", asked.diskBytes(), limitsMax.diskBytes());
        }
        if (asked.fileCount() > limitsMax.fileCount()) {
            return excess("file count", asked.fileCount(), limitsMax.fileCount());
        }
        return "";
    }

    private static String excess(String what, long asked, long max) {
        return what + " of " + asked + " is more than the " + max;
    }
}
