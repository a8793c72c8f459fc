package dev.glovebox.engine;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The backends of this server by the tiers that they provide. Immutable and thread-safe.
final class Backends implements AutoCloseable {
    private final List<SandboxBackend> backends;
    private final Map<Tier, SandboxBackend> byTier;

    Backends(List<SandboxBackend> backends) {
        this.backends = List.copyOf(backends);
        Map<Tier, SandboxBackend> map = new EnumMap<>(Tier.class);
        for (SandboxBackend backend : backends) {
            for (Tier tier : backend.tiers()) {
                if (map.put(tier, backend) != null) {
                    throw new IllegalStateException("two backends provide tier " + tier.word());
                }
            }
        }
        this.byTier = Map.copyOf(map);
    }

    Set<Tier> tiers() {
        return byTier.keySet();
    }

    /// What can be chosen from.
    TierChoice.Here here() {
        return new TierChoice.Here(tiers(), tier -> of(tier).isReady(tier));
    }

    SandboxBackend of(Tier tier) {
        SandboxBackend backend = byTier.get(tier);
        if (backend == null) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE, "tier " + tier.word() + " does not work on this server");
        }
        return backend;
    }

    @Override
    public void close() {
        RuntimeException first = null;
        for (SandboxBackend backend : backends) {
            try {
                backend.close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
