package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.Tunnel;
import java.util.List;
import java.util.SequencedMap;

/// What the audit log tells of commands about networks: names and counts, never a secret.
final class NetworkDetails {
    private NetworkDetails() {}

    static void describe(Command<?> command, SequencedMap<String, String> details) {
        switch (command) {
            case Command.ReplaceNetwork replace -> describe(replace.policy(), details);
            case Command.PutSecret put -> {
                details.put("secret", put.name().value());
                details.put("hosts", AuditTrail.cut(words(put.hosts())));
            }
            case Command.RemoveSecret remove ->
                details.put("secret", remove.name().value());
            case Command.PutTunnel put -> {
                Tunnel tunnel = put.tunnel();
                details.put("tenant", put.tenant().value());
                details.put("tunnel", tunnel.name().value());
                details.put("target", tunnel.host() + ":" + tunnel.port());
                details.put("tls", Boolean.toString(tunnel.isTls()));
            }
            case Command.ListTunnels list -> details.put("tenant", list.tenant().value());
            case Command.RemoveTunnel remove -> {
                details.put("tenant", remove.tenant().value());
                details.put("tunnel", remove.name().value());
            }
            default -> {}
        }
    }

    /// How much is opened. The entries are told with each connection that they decide; what headers and proxies hold
    /// is not the log's.
    static void describe(NetworkPolicy policy, SequencedMap<String, String> details) {
        if (policy.reachesNothing()) {
            details.put("network", "closed");
            return;
        }
        details.put(
                "network",
                (policy.isClosed() ? "closed" : "open") + ", allow "
                        + policy.allowOut().size() + ", deny "
                        + policy.denyOut().size() + ", rules "
                        + policy.requests().size() + ", tunnels "
                        + policy.tunnels().size()
                        + (policy.proxy().isPresent() ? ", proxy" : ""));
    }

    private static String words(List<HostPattern> hosts) {
        return String.join(" ", hosts.stream().map(HostPattern::toString).toList());
    }
}
