package dev.glovebox.core.egress;

/// Makes the ports through which sandboxes reach what they may. Thread-safe.
@FunctionalInterface
public interface NetworkPorts {
    /// Opens the sockets of a port where a sandbox's connections arrive.
    ///
    /// @throws dev.glovebox.core.GloveboxException TIER_UNAVAILABLE with what failed
    NetworkPort open(NetworkNamespace namespace);
}
