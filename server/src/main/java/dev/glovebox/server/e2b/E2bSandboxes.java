package dev.glovebox.server.e2b;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.engine.Gate;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// The sandboxes that run, as E2B's interfaces see them. Thread-safe.
public final class E2bSandboxes {
    private final Gate gate;
    private final Function<SandboxId, Optional<TenantId>> owners;
    private final Map<SandboxId, E2bSandbox> known = new ConcurrentHashMap<>();

    /// Sandboxes behind a gate.
    ///
    /// @param owners whose a sandbox is; empty if it does not run
    public E2bSandboxes(Gate gate, Function<SandboxId, Optional<TenantId>> owners) {
        this.gate = gate;
        this.owners = owners;
    }

    /// A sandbox that runs; empty if none of this id does. Asks no key: whoever calls this lets nobody in who has not
    /// proved himself otherwise.
    public Optional<E2bSandbox> find(SandboxId id) {
        Optional<TenantId> owner = owners.apply(id);
        if (owner.isEmpty()) {
            known.remove(id);
            return Optional.empty();
        }
        E2bSandbox sandbox = known.get(id);
        return sandbox != null ? Optional.of(sandbox) : look(id, owner.get());
    }

    private Optional<E2bSandbox> look(SandboxId id, TenantId owner) {
        try {
            return Optional.of(remember(gate.execute(E2bSandbox.principal(owner), new Command.GetSandbox(id))));
        } catch (GloveboxException e) {
            if (e.code() == ErrorCode.SANDBOX_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /// Takes note of a sandbox that the gate has just told of.
    public E2bSandbox remember(Sandbox sandbox) {
        return known.computeIfAbsent(sandbox.id(), _ -> new E2bSandbox(sandbox));
    }

    /// All that were seen here and still run. Forgets the others.
    public Collection<E2bSandbox> running() {
        known.keySet().removeIf(id -> owners.apply(id).isEmpty());
        return List.copyOf(known.values());
    }
}
