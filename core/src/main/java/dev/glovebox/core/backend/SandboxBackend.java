package dev.glovebox.core.backend;

import dev.glovebox.core.Tier;
import java.util.List;
import java.util.Set;

/// What a tier must provide. Called by the engine only. Thread-safe.
public interface SandboxBackend extends AutoCloseable {
    /// The tiers that it provides.
    Set<Tier> tiers();

    Set<Capability> capabilities(Tier tier);

    /// Whether what sandboxes of a tier of its own start from is there, if nobody names a template. Quick, and may
    /// change.
    boolean isReady(Tier tier);

    /// Finds out whether its tiers work here. May take seconds, is bounded.
    List<TierStatus> probe();

    /// Starts a sandbox and returns when it takes requests.
    ///
    /// @throws dev.glovebox.core.GloveboxException OVERLOADED, TIER_UNAVAILABLE or BACKEND_LOST
    SandboxHandle create(Requirements requirements);

    /// Ends every sandbox and every process that it started.
    @Override
    void close();
}
