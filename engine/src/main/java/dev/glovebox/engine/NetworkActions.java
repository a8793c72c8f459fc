package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.secret.Secret;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// What sandboxes reach: rules that are replaced, tunnels and secrets of tenants. Thread-safe.
final class NetworkActions {
    private final Engine.Parts parts;
    private final SandboxActions sandboxes;
    private final Map<SandboxId, RunNetwork> runs = new ConcurrentHashMap<>();

    /// The network of a one-shot run.
    private static final class RunNetwork {
        private final TenantId tenant;
        private final NetworkPolicy policy;
        private final SandboxHandle handle;

        RunNetwork(TenantId tenant, NetworkPolicy policy, SandboxHandle handle) {
            this.tenant = tenant;
            this.policy = policy;
            this.handle = handle;
        }
    }

    NetworkActions(Engine.Parts parts, SandboxActions sandboxes) {
        this.parts = parts;
        this.sandboxes = sandboxes;
    }

    /// What a policy means for a tenant's sandbox: with the tunnels that it names.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if it names one that the tenant does not have
    static NetworkGrant grant(Engine.Network network, TenantId tenant, NetworkPolicy policy) {
        if (policy.tunnels().isEmpty()) {
            return new NetworkGrant(policy, List.of());
        }
        List<Tunnel> named = named(network, tenant, policy);
        TreeSet<String> missing =
                new TreeSet<>(policy.tunnels().stream().map(TunnelName::value).toList());
        named.forEach(tunnel -> missing.remove(tunnel.name().value()));
        if (!missing.isEmpty()) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "this tenant has no tunnel " + String.join(", ", missing)
                            + ": an administrator defines it with 'glovebox tunnel put'");
        }
        return new NetworkGrant(policy, named);
    }

    /// As [#grant], without the tunnels that are no more.
    static NetworkGrant grantOfWhatIsThere(Engine.Network network, TenantId tenant, NetworkPolicy policy) {
        return new NetworkGrant(policy, named(network, tenant, policy));
    }

    private static List<Tunnel> named(Engine.Network network, TenantId tenant, NetworkPolicy policy) {
        return network.tunnels().list(tenant).stream()
                .filter(tunnel -> policy.tunnels().contains(tunnel.name()))
                .toList();
    }

    Command.Done replace(TenantId tenant, Command.ReplaceNetwork command) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        sandbox.control.lock();
        try {
            // The new rules hold before they are told of; if they cannot be applied, the old ones are told on.
            sandbox.handle().replaceNetwork(grant(parts.network(), tenant, command.policy()));
            sandbox.network(command.policy());
        } finally {
            sandbox.control.unlock();
        }
        return Command.Done.DONE;
    }

    Command.NetworkView inspect(Command.InspectNetwork command) {
        LiveSandbox sandbox = sandboxes.find(command.sandbox());
        return new Command.NetworkView(sandbox.network(), sandbox.handle().networkUsage());
    }

    Secret putSecret(Principal principal, Command.PutSecret command) {
        Secret secret = new Secret(
                principal.tenant(),
                command.name(),
                command.hosts(),
                parts.clock().instant());
        parts.network().secrets().put(secret, command.value());
        return secret;
    }

    Command.Done removeSecret(TenantId tenant, Command.RemoveSecret command) {
        if (!parts.network().secrets().remove(tenant, command.name())) {
            throw new GloveboxException(
                    ErrorCode.SECRET_NOT_FOUND,
                    "there is no secret " + command.name() + ": 'glovebox secret list' shows all");
        }
        return Command.Done.DONE;
    }

    Tunnel putTunnel(Command.PutTunnel command) {
        parts.network().tunnels().put(command.tenant(), command.tunnel());
        regrant(command.tenant(), command.tunnel().name());
        return command.tunnel();
    }

    Command.Done removeTunnel(Command.RemoveTunnel command) {
        if (!parts.network().tunnels().remove(command.tenant(), command.name())) {
            throw new GloveboxException(
                    ErrorCode.TUNNEL_NOT_FOUND,
                    "there is no tunnel " + command.name() + " of tenant " + command.tenant()
                            + ": 'glovebox tunnel list' shows all");
        }
        regrant(command.tenant(), command.name());
        return Command.Done.DONE;
    }

    /// Takes note of a run that may use tunnels, until it ends; what has changed since it was granted is told it.
    void begin(SandboxId id, TenantId tenant, NetworkPolicy policy, SandboxHandle handle) {
        if (!policy.tunnels().isEmpty()) {
            RunNetwork run = new RunNetwork(tenant, policy, handle);
            runs.put(id, run);
            follow(run);
        }
    }

    void end(SandboxId id) {
        runs.remove(id);
    }

    /// One at a time, so that the last that is told is what is there.
    private void follow(RunNetwork run) {
        synchronized (run) {
            run.handle.replaceNetwork(grantOfWhatIsThere(parts.network(), run.tenant, run.policy));
        }
    }

    /// Lets every sandbox that may use a tunnel know what it is now, or that it is no more.
    private void regrant(TenantId tenant, TunnelName name) {
        for (LiveSandbox sandbox : sandboxes.ofTenant(tenant)) {
            if (sandbox.network().tunnels().contains(name)) {
                unlessItEnds(() -> sandboxes.followTunnels(sandbox));
            }
        }
        for (RunNetwork run : runs.values()) {
            if (run.tenant.equals(tenant) && run.policy.tunnels().contains(name)) {
                unlessItEnds(() -> follow(run));
            }
        }
    }

    /// A sandbox that ends just now needs no tunnel.
    private static void unlessItEnds(Runnable change) {
        try {
            change.run();
        } catch (GloveboxException e) {
            if (e.code() != ErrorCode.SANDBOX_NOT_FOUND && e.code() != ErrorCode.BACKEND_LOST) {
                throw e;
            }
        }
    }
}
