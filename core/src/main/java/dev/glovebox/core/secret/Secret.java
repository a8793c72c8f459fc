package dev.glovebox.core.secret;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.HostPattern;
import java.time.Instant;
import java.util.List;

/// What may be told of a secret: everything but its value.
///
/// @param hosts those that it may be sent to; at least one
/// @param updatedAt when its value or its hosts were last put
public record Secret(TenantId tenant, SecretName name, List<HostPattern> hosts, Instant updatedAt) {
    public Secret {
        hosts = List.copyOf(hosts);
        checkHosts(name, hosts);
    }

    /// Refuses a secret without hosts, or with too many.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT
    public static void checkHosts(SecretName name, List<HostPattern> hosts) {
        if (hosts.isEmpty() || hosts.size() > Limits.SECRET_HOSTS_MAX) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the secret " + name + " is bound to " + hosts.size() + " hosts; it needs 1 to "
                            + Limits.SECRET_HOSTS_MAX + ", such as api.example.com or *.example.com");
        }
    }

    /// Whether it may be sent to this host.
    public boolean isBoundTo(HostName host) {
        return hosts.stream().anyMatch(bound -> bound.matches(host));
    }
}
