package dev.glovebox.server.e2b;

import dev.glovebox.core.Principal;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.Tier;
import java.util.concurrent.locks.ReentrantLock;

/// A sandbox that runs, as E2B's interfaces see it. Thread-safe.
public final class E2bSandbox {
    /// Held while its lease is read and then changed, so that two callers who each want it to live on do not undo each
    /// other's wish.
    public final ReentrantLock lease = new ReentrantLock();

    private final Sandbox made;
    private final SandboxFacts facts;

    E2bSandbox(Sandbox made) {
        this.made = made;
        this.facts = SandboxFacts.of(made);
    }

    public SandboxId id() {
        return made.id();
    }

    public Tier tier() {
        return made.tier();
    }

    /// As it was when it was first seen here: what never changes of it is right.
    public Sandbox made() {
        return made;
    }

    public SandboxFacts facts() {
        return facts;
    }

    /// In whose name something is done for a caller who has proved himself by a token of this sandbox.
    public Principal principal() {
        return principal(made.tenant());
    }

    static Principal principal(dev.glovebox.core.TenantId tenant) {
        return new Principal(tenant, "sandbox-token", Principal.Role.TENANT);
    }
}
