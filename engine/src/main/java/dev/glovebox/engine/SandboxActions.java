package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.policy.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Creates, extends and ends sandboxes, and knows those that run. Thread-safe.
final class SandboxActions implements AutoCloseable {
    private final Engine.Parts parts;
    private final Map<SandboxId, LiveSandbox> live = new ConcurrentHashMap<>();
    private final Leases leases;

    SandboxActions(Engine.Parts parts) {
        this.parts = parts;
        this.leases = new Leases(parts.clock(), this::expire);
    }

    Sandbox create(Principal principal, SandboxSpec spec) {
        TenantId tenant = principal.tenant();
        Policy policy = parts.policies().of(tenant);
        TierChoice choice = TierChoice.ofSandbox(spec, policy, parts.backends().here());
        parts.quotas().takeSandbox(tenant, policy);
        try {
            return start(tenant, spec, choice, policy);
        } catch (RuntimeException | Error failure) {
            parts.quotas().giveSandbox(tenant);
            parts.observer().ended(choice.tier(), StopReason.START_FAILED);
            throw failure;
        }
    }

    private Sandbox start(TenantId tenant, SandboxSpec spec, TierChoice choice, Policy policy) {
        SandboxId id = SandboxId.random(parts.random());
        NetworkGrant grant = NetworkActions.grant(parts.network(), tenant, spec.network());
        Instant begun = parts.clock().instant();
        Requirements requirements = new Requirements(
                id,
                tenant,
                choice.tier(),
                spec.language(),
                spec.template(),
                spec.limits(),
                spec.environment(),
                grant,
                policy.cellPerSandbox());
        SandboxHandle handle = begin(requirements);
        try {
            handle.awaitReady();
            Instant now = parts.clock().instant();
            Sandbox sandbox = new Sandbox(
                    id,
                    tenant,
                    choice.tier(),
                    choice.reason(),
                    spec.language(),
                    spec.template().or(choice.tier()::defaultTemplate).orElse(""),
                    new SandboxState.Running(now),
                    now,
                    now.plus(spec.lease()),
                    spec.limits(),
                    spec.metadata());
            parts.store().save(sandbox);
            LiveSandbox running = new LiveSandbox(sandbox, spec.network(), handle);
            live.put(id, running);
            followTunnels(running);
            leases.set(id, sandbox.expiresAt());
            handle.onLost(why -> lost(id, why));
            parts.observer().created(choice.tier(), Duration.between(begun, now));
            return sandbox;
        } catch (RuntimeException | Error failure) {
            live.remove(id);
            leases.forget(id);
            try {
                handle.close();
            } finally {
                parts.network().owners().end(id);
            }
            throw failure;
        }
    }

    private SandboxHandle begin(Requirements requirements) {
        parts.network().owners().begin(requirements.sandbox(), requirements.tenant());
        try {
            return parts.backends().of(requirements.tier()).create(requirements);
        } catch (RuntimeException | Error failure) {
            parts.network().owners().end(requirements.sandbox());
            throw failure;
        }
    }

    /// Refuses, in the same words, a sandbox that is another tenant's, that is dead, and that never was.
    void checkVisible(TenantId tenant, SandboxId id) {
        LiveSandbox sandbox = live.get(id);
        if (sandbox == null || !sandbox.sandbox().tenant().equals(tenant)) {
            throw notFound(id);
        }
    }

    Optional<TenantId> ownerOf(SandboxId id) {
        LiveSandbox sandbox = live.get(id);
        return sandbox == null
                ? Optional.empty()
                : Optional.of(sandbox.sandbox().tenant());
    }

    /// The sandbox, which [#checkVisible] has let through; it may have ended since.
    LiveSandbox find(SandboxId id) {
        LiveSandbox sandbox = live.get(id);
        if (sandbox == null) {
            throw notFound(id);
        }
        return sandbox;
    }

    /// Those of a tenant that run.
    List<LiveSandbox> ofTenant(TenantId tenant) {
        return live.values().stream()
                .filter(sandbox -> sandbox.sandbox().tenant().equals(tenant))
                .toList();
    }

    /// Lets a sandbox that may use tunnels know what they are now, or that they are no more.
    void followTunnels(LiveSandbox sandbox) {
        sandbox.control.lock();
        try {
            NetworkPolicy policy = sandbox.network();
            if (!policy.tunnels().isEmpty()) {
                TenantId tenant = sandbox.sandbox().tenant();
                sandbox.handle().replaceNetwork(NetworkActions.grantOfWhatIsThere(parts.network(), tenant, policy));
            }
        } finally {
            sandbox.control.unlock();
        }
    }

    Sandbox get(SandboxId id) {
        return find(id).sandbox();
    }

    Sandbox extend(SandboxId id, Duration lease) {
        LiveSandbox sandbox = find(id);
        sandbox.control.lock();
        try {
            sandbox.handle();
            Instant expiry = parts.clock().instant().plus(lease);
            // First the store: if it refuses, the lease that holds is still the one that everybody knows.
            parts.store().save(sandbox.sandbox().withExpiry(expiry));
            leases.set(id, expiry);
            return sandbox.update(now -> now.withExpiry(expiry));
        } finally {
            sandbox.control.unlock();
        }
    }

    Command.Done kill(SandboxId id) {
        end(find(id), StopReason.KILLED);
        return Command.Done.DONE;
    }

    private void expire(SandboxId id) {
        LiveSandbox sandbox = live.get(id);
        if (sandbox == null) {
            return;
        }
        sandbox.control.lock();
        try {
            Instant expiry = sandbox.sandbox().expiresAt();
            if (expiry.isAfter(parts.clock().instant())) {
                leases.set(id, expiry);
                return;
            }
            if (end(sandbox, StopReason.LEASE_EXPIRED)) {
                notice(sandbox.sandbox(), "sandbox.expired", "its lease ran out");
            }
        } finally {
            sandbox.control.unlock();
        }
    }

    private void lost(SandboxId id, String why) {
        LiveSandbox sandbox = live.get(id);
        if (sandbox != null && end(sandbox, StopReason.BACKEND_LOST)) {
            notice(sandbox.sandbox(), "sandbox.lost", why);
        }
    }

    private void notice(Sandbox sandbox, String verb, String why) {
        Principal nobody = new Principal(sandbox.tenant(), "glovebox", Principal.Role.TENANT);
        parts.audit().notice(nobody, verb, sandbox.id().value(), why);
    }

    /// Ends a sandbox; false if somebody else did.
    private boolean end(LiveSandbox sandbox, StopReason reason) {
        sandbox.control.lock();
        try {
            SandboxId id = sandbox.sandbox().id();
            if (!live.remove(id, sandbox)) {
                return false;
            }
            leases.forget(id);
            sandbox.update(now -> now.withState(new SandboxState.Killing(reason)));
            try {
                sandbox.handleToClose().close();
            } finally {
                parts.network().owners().end(id);
                Sandbox dead = sandbox.update(now -> now.withState(
                        new SandboxState.Dead(reason, parts.clock().instant())));
                parts.quotas().giveSandbox(dead.tenant());
                parts.store().save(dead);
                parts.observer().ended(dead.tier(), reason);
            }
            return true;
        } finally {
            sandbox.control.unlock();
        }
    }

    /// A sandbox that runs dies with its server: what the store still calls alive is settled as dead.
    void reclaim() {
        for (Sandbox left : parts.store().alive()) {
            SandboxState dead = new SandboxState.Dead(
                    StopReason.SERVER_STOPPED, parts.clock().instant());
            parts.store().save(left.withState(dead));
            notice(left, "sandbox.reclaimed", "an earlier server ended without ending it");
        }
    }

    static GloveboxException notFound(SandboxId id) {
        return new GloveboxException(
                ErrorCode.SANDBOX_NOT_FOUND, "sandbox " + id + " does not exist, has ended, or is not yours");
    }

    @Override
    public void close() {
        leases.close();
        RuntimeException first = null;
        for (LiveSandbox sandbox : live.values()) {
            try {
                end(sandbox, StopReason.SERVER_STOPPED);
            } catch (RuntimeException failure) {
                // One that does not end keeps no other alive.
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
