package dev.glovebox.core.egress;

import dev.glovebox.core.egress.EgressDecision.Allow;
import dev.glovebox.core.egress.EgressDecision.Deny;
import dev.glovebox.core.egress.EgressDecision.ReadName;
import dev.glovebox.core.egress.EgressDecision.Settled;
import dev.glovebox.core.egress.EgressDecision.Way;
import java.util.Optional;

/// The decision about one connection: tunnels first, then special addresses, then what opens, then what closes.
final class ConnectionRules {
    /// The name of what is open because nothing closes it.
    static final String OPEN = "default.open";

    private static final Way DIRECT = new Way.Direct();

    private final NetworkPolicy policy;
    private final Surroundings surroundings;

    ConnectionRules(NetworkPolicy policy, Surroundings surroundings) {
        this.policy = policy;
        this.surroundings = surroundings;
    }

    EgressDecision decide(EgressAttempt attempt) {
        Optional<HostName> tunnel =
                attempt.asked().stream().filter(TunnelName::isTunnel).findFirst();
        if (tunnel.isPresent()) {
            return throughTunnel(attempt, tunnel.get());
        }
        Optional<SpecialAddresses.Special> special = SpecialAddresses.of(attempt.address());
        if (special.isPresent()) {
            return new Deny(
                    "always." + special.get().word(),
                    attempt.address() + " is " + special.get().words()
                            + "; no rule opens it: an administrator can define a tunnel to a service there");
        }
        if (surroundings.own().contains(attempt.address())) {
            return new Deny("always.host", attempt.address() + " is an address of the host itself; no rule opens it");
        }
        return attempt.protocol() == Protocol.UDP ? udp(attempt) : tcp(attempt);
    }

    private EgressDecision throughTunnel(EgressAttempt attempt, HostName host) {
        Optional<TunnelName> name = TunnelName.of(host).filter(policy.tunnels()::contains);
        Tunnel tunnel = name.map(surroundings.tunnels()::get).orElse(null);
        if (tunnel == null) {
            return new Deny(
                    "tunnel.unknown",
                    host + " is no tunnel of this sandbox: an administrator defines it, and the policy names it");
        }
        if (attempt.protocol() != Protocol.TCP || attempt.port() != tunnel.port()) {
            return new Deny(
                    "tunnel.port",
                    "the tunnel " + tunnel.name() + " is reached over TCP at port " + tunnel.port() + ", not over "
                            + attempt.protocol().word() + " at port " + attempt.port());
        }
        return new Allow("tunnel " + tunnel.name(), new Way.ThroughTunnel(tunnel));
    }

    private Settled udp(EgressAttempt attempt) {
        Optional<Allow> allowed = byAddress(attempt);
        if (allowed.isPresent()) {
            return allowed.get();
        }
        if (attempt.port() == 443) {
            return new Deny("udp.quic", "QUIC is not carried: clients fall back to TLS over TCP");
        }
        return new Deny(
                "udp.closed",
                "UDP leaves only where allow out names its address and port, as in udp://" + attempt.address() + ":"
                        + attempt.port());
    }

    private EgressDecision tcp(EgressAttempt attempt) {
        Optional<Allow> otherwise =
                byAddress(attempt).or(() -> byNameAsked(attempt)).or(() -> byDefault(attempt));
        if (!showsNames(attempt.port())) {
            return otherwise.<EgressDecision>map(allow -> allow).orElseGet(() -> closed(attempt));
        }
        return switch (attempt.handshake()) {
            case Handshake.NotRead _ -> new ReadName(otherwise);
            case Handshake.Silent _ ->
                otherwise
                        .<EgressDecision>map(allow -> allow)
                        .orElseGet(() -> nameless(attempt, "nothing was sent that shows one"));
            case Handshake.Unreadable unreadable ->
                otherwise.<EgressDecision>map(allow -> allow).orElseGet(() -> nameless(attempt, unreadable.words()));
            case Handshake.Tls tls ->
                tls.name()
                        .<EgressDecision>map(name -> byNameShown(attempt, name, otherwise))
                        .or(() -> otherwise)
                        .orElseGet(() -> nameless(attempt, "the TLS handshake shows none (no SNI)"));
            case Handshake.Http http -> byNameShown(attempt, http.name(), otherwise);
        };
    }

    private Optional<Allow> byAddress(EgressAttempt attempt) {
        return policy.allowOut().stream()
                .filter(rule -> rule instanceof AllowRule.ToAddress toAddress && toAddress.matches(attempt))
                .findFirst()
                .map(rule -> new Allow(rule.rule(), DIRECT));
    }

    /// What is open to any protocol because the address belongs to a name.
    private Optional<Allow> byNameAsked(EgressAttempt attempt) {
        return policy.allowOut().stream()
                .filter(rule -> rule instanceof AllowRule.ToName toName
                        && toName.isRaw()
                        && toName.covers(attempt.port())
                        && attempt.asked().stream().anyMatch(toName.host()::matches))
                .findFirst()
                .map(rule -> new Allow(rule.rule(), DIRECT));
    }

    private Optional<Allow> byDefault(EgressAttempt attempt) {
        return policy.denyOut().stream().anyMatch(rule -> rule.matches(attempt.address()))
                ? Optional.empty()
                : Optional.of(new Allow(OPEN, DIRECT));
    }

    /// Where the name is read: where a rule depends on it, and on the ports of the web also for the record.
    private boolean showsNames(int port) {
        return AllowRule.WEB.stream().anyMatch(web -> web.contains(port))
                || policy.allowOut().stream()
                        .anyMatch(rule ->
                                rule instanceof AllowRule.ToName toName && !toName.isRaw() && toName.covers(port));
    }

    private Settled byNameShown(EgressAttempt attempt, HostName name, Optional<Allow> otherwise) {
        boolean agrees = attempt.asked().contains(name);
        Optional<AllowRule> rule = policy.allowOut().stream()
                .filter(entry -> entry instanceof AllowRule.ToName toName
                        && !toName.isRaw()
                        && toName.covers(attempt.port())
                        && toName.host().matches(name))
                .findFirst();
        Optional<RequestRule> requests = policy.requests().stream()
                .filter(entry -> entry.host().matches(name))
                .findFirst();
        // A name that is only shown, at an address that is open anyway, changes nothing: no header is set for it.
        if (agrees && (rule.isPresent() || (requests.isPresent() && otherwise.isPresent()))) {
            String decides = rule.map(AllowRule::rule)
                    .orElseGet(() -> otherwise.map(Allow::rule).orElse(OPEN));
            return allowedByName(attempt, name, decides, requests, otherwise);
        }
        if (otherwise.isPresent()) {
            return otherwise.get();
        }
        if (rule.isEmpty()) {
            return new Deny(
                    "name.not_allowed",
                    "no entry of allow out opens " + name + " at port " + attempt.port() + ": add it there");
        }
        return new Deny(
                "name.address",
                attempt.address() + " is no address of " + name
                        + ", which the connection asks for: connect to an address" + " that the name has");
    }

    private Settled allowedByName(
            EgressAttempt attempt,
            HostName name,
            String rule,
            Optional<RequestRule> requests,
            Optional<Allow> otherwise) {
        if (attempt.handshake() instanceof Handshake.Tls tls) {
            if (requests.isPresent()) {
                return new Allow(rule, new Way.Requests(name, true, requests));
            }
            if (tls.isEncrypted() && otherwise.isEmpty()) {
                return new Deny(
                        "name.encrypted",
                        "the handshake for " + name
                                + " has an encrypted part (ECH) that could name another host: switch"
                                + " it off in the client, or give " + name
                                + " a rule under which requests are looked at");
            }
            return new Allow(rule, DIRECT);
        }
        if (requests.isPresent() && requests.get().hasPlaceholders()) {
            return new Deny(
                    "name.plaintext",
                    "the rule for " + name + " sends a secret, which never leaves without TLS: use https");
        }
        return new Allow(rule, new Way.Requests(name, false, requests));
    }

    private Settled nameless(EgressAttempt attempt, String why) {
        return policy.allowOut().stream()
                        .anyMatch(rule -> rule instanceof AllowRule.ToName toName && toName.covers(attempt.port()))
                ? new Deny("name.missing", "port " + attempt.port() + " is open to names only, and " + why)
                : closed(attempt);
    }

    private Settled closed(EgressAttempt attempt) {
        String where = attempt.address() + " at port " + attempt.port();
        return policy.denyOut().stream()
                .filter(rule -> rule.matches(attempt.address()))
                .findFirst()
                .map(rule -> new Deny(
                        rule.rule(), where + " is closed by deny out, and no entry of allow out opens it: add one"))
                .orElseGet(() -> new Deny("default.closed", where + " is not open"));
    }
}
