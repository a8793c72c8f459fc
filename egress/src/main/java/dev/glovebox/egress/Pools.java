package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import java.util.function.IntSupplier;

/// What the networks of all sandboxes of a server share: memory and open files, both of which end it when they run
/// out.
///
/// @param connections begun and not over
/// @param firstBytes bytes that were read to find out where connections go
/// @param heldBytes bytes that cannot be passed on yet, in large pieces
/// @param inspected connections whose requests are looked at
/// @param datagrams sockets for UDP
/// @param lookUps that wait for the name servers
record Pools(Pool connections, Pool firstBytes, Pool heldBytes, Pool inspected, Pool datagrams, Pool lookUps) {
    /// Of a process that may open so many files: connections get a third, for each has two.
    static Pools of(long files, IntSupplier sandboxes) {
        return new Pools(
                new Pool(Math.min(Limits.EGRESS_CONNECTIONS_ALL_MAX, files / 6), sandboxes),
                new Pool(Limits.EGRESS_FIRST_BYTES_ALL_MAX, sandboxes),
                new Pool(Limits.EGRESS_HELD_BYTES_ALL_MAX, sandboxes),
                new Pool(Limits.EGRESS_INSPECTED_ALL_MAX, sandboxes),
                new Pool(Math.min(Limits.EGRESS_UDP_SOCKETS_ALL_MAX, files / 12), sandboxes),
                new Pool(Math.min(Limits.EGRESS_LOOK_UPS_ALL_MAX, files / 32), sandboxes));
    }
}
