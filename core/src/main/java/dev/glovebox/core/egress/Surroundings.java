package dev.glovebox.core.egress;

import java.util.Map;
import java.util.Set;

/// What a decision has to know beside the policy.
///
/// @param own the host's own addresses, which no rule opens
/// @param tunnels those that the tenant's administrator has defined
public record Surroundings(Set<IpAddress> own, Map<TunnelName, Tunnel> tunnels) {
    public static final Surroundings NONE = new Surroundings(Set.of(), Map.of());

    public Surroundings {
        own = Set.copyOf(own);
        tunnels = Map.copyOf(tunnels);
    }
}
