package dev.glovebox.core;

import java.time.Instant;
import java.util.Map;

/// A sandbox as it is known now. Immutable; the engine replaces it as it changes.
///
/// @param tierReason why this tier, in words
/// @param template what it was started from; empty where the tier has but one
/// @param expiresAt when its lease ends
public record Sandbox(
        SandboxId id,
        TenantId tenant,
        Tier tier,
        String tierReason,
        Language language,
        String template,
        SandboxState state,
        Instant createdAt,
        Instant expiresAt,
        ResourceLimits limits,
        Map<String, String> metadata) {
    public Sandbox {
        metadata = Map.copyOf(metadata);
    }

    public Sandbox withState(SandboxState next) {
        return new Sandbox(
                id, tenant, tier, tierReason, language, template, next, createdAt, expiresAt, limits, metadata);
    }

    public Sandbox withExpiry(Instant next) {
        return new Sandbox(id, tenant, tier, tierReason, language, template, state, createdAt, next, limits, metadata);
    }
}
