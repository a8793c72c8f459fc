package dev.glovebox.core.egress;

import dev.glovebox.core.PortPeer;
import java.util.List;
import java.util.Optional;

/// The network of one sandbox that asks for its connections by name. Each is looked up, decided, carried, metered and
/// recorded like one that a program in a network namespace makes. Thread-safe.
public interface DialedNetwork extends SandboxNetwork {
    /// Whoever is told that a connection is not to be, or is no more.
    @FunctionalInterface
    interface Refusals {
        /// Called by the threads that move bytes, at most a few times for one connection: it returns at once.
        ///
        /// @param rule what decided, as the record names it; empty if nobody decided and it failed
        /// @param words why
        void refused(String rule, String words);
    }

    /// Asks for a connection. Blocks while the name is looked up; the decision falls later, perhaps by the first bytes
    /// that are sent.
    ///
    /// @param host a name or an address, as the guest wrote it
    /// @param told hears of a refusal before the connection breaks off
    /// @return the other end of the connection, closed by whoever asked; empty if it was refused at once
    Optional<PortPeer> dial(String host, int port, Refusals told);

    /// Which authorities vouch for hosts, each as PEM: the list of the operator's system, which may be empty, and the
    /// sandbox's own, which signs where rules look at requests.
    List<String> trustPem();
}
