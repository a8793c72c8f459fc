package dev.glovebox.core.egress;

import java.util.Set;

/// A connection that a guest wants, as far as it is known.
///
/// @param address where it goes
/// @param asked the names for which this sandbox was given this address; a name in a handshake counts only if
///     it is one of them, so that name and address agree
public record EgressAttempt(Protocol protocol, IpAddress address, int port, Set<HostName> asked, Handshake handshake) {
    public EgressAttempt {
        asked = Set.copyOf(asked);
    }

    public static EgressAttempt tcp(IpAddress address, int port, Set<HostName> asked) {
        return new EgressAttempt(Protocol.TCP, address, port, asked, new Handshake.NotRead());
    }

    public static EgressAttempt udp(IpAddress address, int port) {
        return new EgressAttempt(Protocol.UDP, address, port, Set.of(), new Handshake.NotRead());
    }

    /// The same, once its first bytes are read and its name is looked up.
    public EgressAttempt with(Handshake read, Set<HostName> names) {
        return new EgressAttempt(protocol, address, port, names, read);
    }
}
