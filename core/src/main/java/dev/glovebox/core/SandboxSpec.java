package dev.glovebox.core;

import dev.glovebox.core.egress.NetworkPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// What a new sandbox should be.
///
/// @param tier the tier asked for; empty is `auto`: the engine picks one and says why
/// @param language what it will mostly run: which interpreter to have ready
/// @param template what it starts from, by name; empty: the tier's own. Only Linux tiers have more than one
/// @param lease how long it may live unless extended
/// @param environment for every process in it
/// @param network what it may reach
/// @param metadata the caller's own words; searchable, never interpreted
public record SandboxSpec(
        Optional<Tier> tier,
        Language language,
        Optional<String> template,
        Duration lease,
        ResourceLimits limits,
        Map<String, String> environment,
        NetworkPolicy network,
        Map<String, String> metadata) {
    public SandboxSpec {
        environment = Map.copyOf(environment);
        metadata = Map.copyOf(metadata);
        Requests.checkEnvironment(environment);
        Requests.checkMetadata(metadata);
        template.ifPresent(Requests::checkTemplate);
        checkLease(lease);
    }

    /// From the tier's own template, with a closed network.
    public SandboxSpec(
            Optional<Tier> tier,
            Language language,
            Duration lease,
            ResourceLimits limits,
            Map<String, String> environment,
            Map<String, String> metadata) {
        this(tier, language, Optional.empty(), lease, limits, environment, NetworkPolicy.CLOSED, metadata);
    }

    /// Refuses a lease outside the product's bounds.
    public static void checkLease(Duration lease) {
        if (!lease.isPositive() || lease.compareTo(Limits.LEASE_MAX) > 0) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a lease of " + lease.toSeconds() + " s is outside 1.." + Limits.LEASE_MAX.toSeconds() + " s");
        }
    }
}
