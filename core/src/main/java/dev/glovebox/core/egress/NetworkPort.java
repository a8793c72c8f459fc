package dev.glovebox.core.egress;

import dev.glovebox.core.SandboxId;

/// The sockets at which everything arrives that a sandbox sends, made before anybody knows whose it will be.
/// Thread-safe.
public interface NetworkPort extends AutoCloseable {
    /// Begins to carry what arrives. To be called once.
    SandboxNetwork open(SandboxId sandbox, NetworkGrant grant);

    /// A datagram found nobody who takes it, and was refused by the kernel; for the record. Returns at once.
    void refusedDatagram(IpAddress address, int port);

    /// Closes the sockets, and the network if it was opened. Idempotent.
    @Override
    void close();
}
