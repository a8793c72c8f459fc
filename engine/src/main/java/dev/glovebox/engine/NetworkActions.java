package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.secret.Secret;
import java.util.List;
import java.util.TreeSet;

/// What sandboxes reach: rules that are replaced, tunnels and secrets of tenants. Thread-safe.
final class NetworkActions {
    private final Engine.Parts parts;
    private final SandboxActions sandboxes;

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

    /// Lets every sandbox that may use a tunnel know what it is now, or that it is no more.
    private void regrant(TenantId tenant, TunnelName name) {
        for (LiveSandbox sandbox : sandboxes.ofTenant(tenant)) {
            sandbox.control.lock();
            try {
                NetworkPolicy policy = sandbox.network();
                if (policy.tunnels().contains(name)) {
                    sandbox.handle().replaceNetwork(new NetworkGrant(policy, named(parts.network(), tenant, policy)));
                }
            } catch (GloveboxException e) {
                // One that ends just now needs no tunnel.
                if (e.code() != ErrorCode.SANDBOX_NOT_FOUND && e.code() != ErrorCode.BACKEND_LOST) {
                    throw e;
                }
            } finally {
                sandbox.control.unlock();
            }
        }
    }
}
