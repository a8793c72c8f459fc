package dev.glovebox.server;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/// Secrets and tunnels in memory, and tiers of which two have a network.
final class FakeNetworks {
    /// What came in, to be compared with what goes out.
    final Map<String, SecretValue> values = new ConcurrentHashMap<>();

    private final Map<String, Secret> secrets = new TreeMap<>();
    private final Map<String, Tunnel> tunnels = new TreeMap<>();

    /// The policy, if a sandbox of this tier can have it.
    static NetworkPolicy checked(Tier tier, NetworkPolicy policy) {
        if (tier != Tier.JAIL && tier != Tier.GVISOR && !policy.reachesNothing()) {
            throw new GloveboxException(ErrorCode.UNSUPPORTED, "this sandbox has no network to open");
        }
        return policy;
    }

    synchronized Secret put(Principal principal, Command.PutSecret put) {
        Secret secret = new Secret(principal.tenant(), put.name(), put.hosts(), Instant.EPOCH);
        secrets.put(principal.tenant() + "/" + put.name(), secret);
        values.put(put.name().value(), put.value());
        return secret;
    }

    synchronized List<Secret> secrets(Principal principal) {
        return secrets.values().stream()
                .filter(secret -> secret.tenant().equals(principal.tenant()))
                .toList();
    }

    synchronized Command.Done remove(Principal principal, Command.RemoveSecret remove) {
        if (secrets.remove(principal.tenant() + "/" + remove.name()) == null) {
            throw new GloveboxException(ErrorCode.SECRET_NOT_FOUND, "there is no such secret");
        }
        return Command.Done.DONE;
    }

    synchronized Tunnel put(Command.PutTunnel put) {
        tunnels.put(put.tenant() + "/" + put.tunnel().name(), put.tunnel());
        return put.tunnel();
    }

    synchronized List<Tunnel> tunnels(TenantId tenant) {
        List<Tunnel> own = new ArrayList<>();
        tunnels.forEach((key, tunnel) -> {
            if (key.startsWith(tenant + "/")) {
                own.add(tunnel);
            }
        });
        return own;
    }

    synchronized Command.Done remove(Command.RemoveTunnel remove) {
        if (tunnels.remove(remove.tenant() + "/" + remove.name()) == null) {
            throw new GloveboxException(ErrorCode.TUNNEL_NOT_FOUND, "there is no such tunnel");
        }
        return Command.Done.DONE;
    }
}
