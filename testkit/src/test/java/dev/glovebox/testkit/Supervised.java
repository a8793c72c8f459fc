package dev.glovebox.testkit;

import dev.glovebox.backends.Supervision;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.backend.TierStatus;
import java.util.List;
import java.util.Set;

/// A backend with the supervisor of its own that it stands on.
record Supervised(SandboxBackend backend, Supervision supervision) implements SandboxBackend {
    @Override
    public Set<Tier> tiers() {
        return backend.tiers();
    }

    @Override
    public Set<Capability> capabilities(Tier tier) {
        return backend.capabilities(tier);
    }

    @Override
    public boolean isReady(Tier tier) {
        return backend.isReady(tier);
    }

    @Override
    public List<TierStatus> probe() {
        return backend.probe();
    }

    @Override
    public SandboxHandle create(Requirements requirements) {
        return backend.create(requirements);
    }

    @Override
    public void close() {
        backend.close();
        supervision.close();
    }
}
