package dev.glovebox.engine;

import dev.glovebox.core.Limits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Whose a sandbox is, for what knows sandboxes only: its network. One-shot runs are in it too. Thread-safe.
public final class SandboxOwners {
    private final Map<SandboxId, TenantId> alive = new ConcurrentHashMap<>();
    private final Map<SandboxId, TenantId> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<SandboxId, TenantId> eldest) {
            return size() > Limits.EGRESS_ENDED_REMEMBERED_MAX;
        }
    };

    /// Before anything of it runs.
    void begin(SandboxId sandbox, TenantId tenant) {
        alive.put(sandbox, tenant);
    }

    /// After it is gone.
    void end(SandboxId sandbox) {
        TenantId tenant = alive.get(sandbox);
        if (tenant != null) {
            synchronized (ended) {
                ended.put(sandbox, tenant);
            }
            alive.remove(sandbox);
        }
    }

    /// The tenant of a sandbox that is there.
    public Optional<TenantId> of(SandboxId sandbox) {
        return Optional.ofNullable(alive.get(sandbox));
    }

    /// As [#of], also for one that ended lately: its last connections are told of when they are over.
    Optional<TenantId> ofEndedToo(SandboxId sandbox) {
        return of(sandbox).or(() -> {
            synchronized (ended) {
                return Optional.ofNullable(ended.get(sandbox));
            }
        });
    }
}
