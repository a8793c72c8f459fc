package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a policy says of a host and a port, in words; looks nothing up.
///
/// @param isAllowed for a name: as far as the name goes; its addresses are looked at when it connects
/// @param rule the rule that decides
/// @param lines sentences for people
public record PolicyExplanation(boolean isAllowed, String rule, List<String> lines) {
    /// Stands for an address of a name that is not known here: it is in no registry of special addresses, and a
    /// rule for addresses that happens to open it is left out.
    private static final IpAddress SOME_ADDRESS = IpAddress.v4(0x01_02_03_04);

    /// Where clients speak plain HTTP unless they are told otherwise.
    private static final int HTTP = 80;

    public PolicyExplanation {
        lines = List.copyOf(lines);
    }

    /// Explains.
    ///
    /// @param host a name, an address, or `NAME.tunnel`
    /// @throws GloveboxException INVALID_ARGUMENT if it is none of these
    public static PolicyExplanation explain(
            NetworkPolicy policy, Surroundings surroundings, String host, int port, Protocol protocol) {
        int checked = PortRange.of(port).first();
        Optional<IpAddress> address = IpAddress.parse(host);
        if (address.isPresent()) {
            EgressAttempt attempt =
                    new EgressAttempt(protocol, address.get(), checked, Set.of(), new Handshake.NotRead());
            return ofAddress(policy, surroundings, attempt);
        }
        HostName name = HostName.parse(host)
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT,
                        "\"" + HostName.printable(host) + "\" is neither an address nor a host name"
                                + (host.contains("://") ? ": leave out what stands before it and behind it" : "")));
        return ofName(policy, surroundings, name, checked, protocol);
    }

    private static PolicyExplanation ofAddress(NetworkPolicy policy, Surroundings surroundings, EgressAttempt attempt) {
        EgressDecision decision = policy.decide(attempt, surroundings);
        String where = attempt.protocol().word() + " to " + attempt.address() + ":" + attempt.port();
        if (decision instanceof EgressDecision.ReadName(Optional<EgressDecision.Allow> otherwise)
                && otherwise.isEmpty()) {
            EgressDecision.Settled silent = (EgressDecision.Settled)
                    policy.decide(attempt.with(new Handshake.Silent(), Set.of()), surroundings);
            return new PolicyExplanation(
                    false,
                    silent.rule(),
                    List.of(
                            where + " is refused by " + silent.rule() + ": " + reason(silent),
                            "A connection that shows a name of allow out there passes if the address is the name's."));
        }
        EgressDecision.Settled settled = decision instanceof EgressDecision.ReadName read
                ? read.otherwise().orElseThrow()
                : (EgressDecision.Settled) decision;
        return new PolicyExplanation(
                settled instanceof EgressDecision.Allow, settled.rule(), List.of(sentence(where, settled)));
    }

    private static PolicyExplanation ofName(
            NetworkPolicy policy, Surroundings surroundings, HostName name, int port, Protocol protocol) {
        List<String> lines = new ArrayList<>();
        EgressDecision.Settled lookUp = policy.decideName(name);
        lines.add(sentence("looking up " + name, lookUp));
        String where = protocol.word() + " to " + name + ":" + port;
        if (lookUp instanceof EgressDecision.Deny deny) {
            lines.add(where + " is refused, as its addresses cannot be learned");
            return new PolicyExplanation(false, deny.rule(), lines);
        }
        NetworkPolicy names = withoutAddresses(policy);
        EgressDecision.Settled usual = settle(names, surroundings, name, port, protocol, port == HTTP);
        lines.add(sentence(where, usual).replace(SOME_ADDRESS.toString(), name.toString()));
        lines.addAll(conditions(policy, usual));
        EgressDecision.Settled other = settle(names, surroundings, name, port, protocol, port != HTTP);
        if (usual instanceof EgressDecision.Allow != other instanceof EgressDecision.Allow) {
            lines.add(sentence(port == HTTP ? "TLS there" : "plain HTTP there", other));
        }
        return new PolicyExplanation(usual instanceof EgressDecision.Allow, usual.rule(), lines);
    }

    /// What is decided when the name is shown, by a handshake or by a request.
    private static EgressDecision.Settled settle(
            NetworkPolicy names,
            Surroundings surroundings,
            HostName name,
            int port,
            Protocol protocol,
            boolean isPlain) {
        EgressAttempt attempt = new EgressAttempt(protocol, SOME_ADDRESS, port, Set.of(name), new Handshake.NotRead());
        EgressDecision decision = names.decide(attempt, surroundings);
        if (decision instanceof EgressDecision.ReadName) {
            Handshake shown = isPlain ? new Handshake.Http(name) : new Handshake.Tls(Optional.of(name), false);
            decision = names.decide(attempt.with(shown, Set.of(name)), surroundings);
        }
        return (EgressDecision.Settled) decision;
    }

    /// The policy as far as it depends on names: no single addresses are opened or closed.
    private static NetworkPolicy withoutAddresses(NetworkPolicy policy) {
        return new NetworkPolicy(
                policy.allowOut().stream()
                        .filter(AllowRule.ToName.class::isInstance)
                        .toList(),
                policy.denyOut().stream().filter(DenyRule::closesAll).toList(),
                policy.requests(),
                policy.tunnels(),
                policy.proxy(),
                policy.limits());
    }

    private static List<String> conditions(NetworkPolicy policy, EgressDecision.Settled settled) {
        List<String> lines = new ArrayList<>();
        if (settled instanceof EgressDecision.Allow allow) {
            switch (allow.way()) {
                case EgressDecision.Way.Direct _ ->
                    lines.add("Addresses of the name that are private, local or the host's stay closed.");
                case EgressDecision.Way.Requests requests -> {
                    lines.add((requests.isTls() ? "TLS ends at the proxy, which" : "The proxy")
                            + " looks at each request; the name's addresses must be public.");
                    requests.rule()
                            .ifPresent(rule -> rule.headers()
                                    .forEach((header, value) ->
                                            lines.add("It sets the header " + header + ": " + value.text())));
                }
                case EgressDecision.Way.ThroughTunnel _ -> lines.add("It ends at the service that the tunnel names.");
            }
        } else if (policy.allowOut().stream().anyMatch(AllowRule.ToAddress.class::isInstance)) {
            lines.add("Entries of allow out that open addresses may open it if the name has such an address.");
        }
        policy.proxy()
                .ifPresent(
                        proxy -> lines.add("It leaves through the proxy " + proxy.host() + ":" + proxy.port() + "."));
        return lines;
    }

    private static String sentence(String what, EgressDecision.Settled settled) {
        return settled instanceof EgressDecision.Deny deny
                ? what + " is refused by " + deny.rule() + ": " + deny.reason()
                : what + " is allowed by " + settled.rule();
    }

    private static String reason(EgressDecision.Settled settled) {
        return settled instanceof EgressDecision.Deny deny ? deny.reason() : "";
    }
}
