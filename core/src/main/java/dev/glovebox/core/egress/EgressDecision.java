package dev.glovebox.core.egress;

import java.util.Optional;

/// What a policy says of a connection.
public sealed interface EgressDecision {
    /// Yes or no: nothing is left to ask.
    sealed interface Settled extends EgressDecision {
        /// The rule that decided, as the record names it.
        String rule();
    }

    /// Yes.
    ///
    /// @param rule the rule that opens it
    record Allow(String rule, Way way) implements Settled {}

    /// No.
    ///
    /// @param reason a sentence that names the value and the remedy
    record Deny(String rule, String reason) implements Settled {}

    /// It depends on the name: read the first bytes and ask again.
    ///
    /// @param otherwise what holds if nothing comes within a moment; a protocol in which the server speaks
    ///     first
    record ReadName(Optional<Allow> otherwise) implements EgressDecision {}

    /// How an allowed connection is carried.
    sealed interface Way {
        /// Bytes as they are.
        record Direct() implements Way {}

        /// As requests of HTTP/1, each of which is checked to be for this host.
        ///
        /// @param isTls whether the guest's TLS ends at the proxy
        record Requests(HostName host, boolean isTls, Optional<RequestRule> rule) implements Way {}

        /// To the service of an administrator's tunnel.
        record ThroughTunnel(Tunnel tunnel) implements Way {}
    }
}
