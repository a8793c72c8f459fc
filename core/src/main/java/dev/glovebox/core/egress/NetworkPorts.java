package dev.glovebox.core.egress;

/// Makes the ports through which sandboxes reach what they may. Thread-safe.
@FunctionalInterface
public interface NetworkPorts {
    /// Opens the sockets of a port in a network namespace.
    ///
    /// @param namespace a file of the host that is the namespace (`man 7 network_namespaces`)
    /// @throws dev.glovebox.core.GloveboxException TIER_UNAVAILABLE with what failed
    NetworkPort open(String namespace);
}
