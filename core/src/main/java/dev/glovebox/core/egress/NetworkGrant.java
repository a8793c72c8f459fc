package dev.glovebox.core.egress;

import java.util.List;

/// What a sandbox may reach, as the engine decided it.
///
/// @param tunnels those that the sandbox's tenant has; the policy names which of them it may use
public record NetworkGrant(NetworkPolicy policy, List<Tunnel> tunnels) {
    /// Nothing is reached.
    public static final NetworkGrant CLOSED = new NetworkGrant(NetworkPolicy.CLOSED, List.of());

    public NetworkGrant {
        tunnels = List.copyOf(tunnels);
    }
}
