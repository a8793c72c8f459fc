package dev.glovebox.egress;

import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.core.egress.SandboxNetwork;

/// The network of a sandbox that has a namespace: what it may reach, and the relays for what its rules name besides
/// TCP. Thread-safe.
///
/// @param port closed with it
record PortNetwork(SandboxEgress carried, UdpRelays relays, NamespacePort port) implements SandboxNetwork {
    /// First the sockets for what is new: if they cannot be opened, the old rules still hold.
    @Override
    public void replace(NetworkGrant grant) {
        relays.adapt(grant.policy());
        carried.replace(grant);
    }

    @Override
    public NetworkUsage usage() {
        return carried.usage();
    }

    @Override
    public String authorityPem() {
        return carried.authorityPem();
    }

    /// Without the port.
    void end() {
        relays.close();
        carried.close();
    }

    @Override
    public void close() {
        port.close();
    }
}
