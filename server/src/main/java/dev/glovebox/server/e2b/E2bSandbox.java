package dev.glovebox.server.e2b;

import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.Tier;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/// A sandbox that runs, as E2B's interfaces see it. Thread-safe.
public final class E2bSandbox {
    /// Held while its lease is read and then changed, so that two callers who each want it to live on do not undo each
    /// other's wish.
    public final ReentrantLock lease = new ReentrantLock();

    private final Sandbox made;
    private final SandboxFacts facts;
    private final UsageHistory usage;
    private final SandboxLog log = new SandboxLog();

    E2bSandbox(Sandbox made) {
        this.made = made;
        this.facts = SandboxFacts.of(made);
        this.usage = new UsageHistory(made.createdAt(), processors(made));
        log.add(new SandboxLog.Entry(
                made.createdAt(),
                SandboxLog.Level.INFO,
                "sandbox started",
                Map.of("tier", made.tier().word(), "template", facts.template().orElse(made.template()))));
    }

    /// How many processors' time it can use: that of one where it runs in a cell.
    public static int processors(Sandbox sandbox) {
        return sandbox.template().isEmpty() ? 1 : Limits.CPU_SHARE_MILLIS_DEFAULT / 1000;
    }

    public UsageHistory usage() {
        return usage;
    }

    public SandboxLog log() {
        return log;
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
