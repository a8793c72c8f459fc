package dev.glovebox.core.egress;

import java.util.Optional;

/// An entry of [NetworkPolicy#allowOut] that opens nothing, whatever else the policy says: what it names is always
/// closed. It is no error, for callers of E2B send such entries; whoever writes a policy by hand wants to know.
///
/// @param entry as it was written
/// @param why it opens nothing, as a sentence without a full stop
/// @param remedy what to do instead, likewise
public record ClosedEntry(String entry, String why, String remedy) {
    private static final String TUNNEL =
            "an administrator can define a tunnel to a service there ('glovebox tunnel put'), which a policy then names"
                    + " in \"tunnels\"";

    /// Empty for an entry that may open something. What depends on the host (its own addresses) or on name servers
    /// (which addresses a name has) is not known here.
    static Optional<ClosedEntry> of(AllowRule rule) {
        return switch (rule) {
            case AllowRule.ToAddress address -> ofAddress(address);
            case AllowRule.ToName name -> ofName(name);
        };
    }

    private static Optional<ClosedEntry> ofAddress(AllowRule.ToAddress rule) {
        return SpecialAddresses.of(rule.range())
                .map(special -> new ClosedEntry(
                        rule.text(),
                        rule.range() + " is " + special.words() + ", which no policy opens",
                        rule.protocol() == Protocol.UDP ? "over TCP, " + TUNNEL : TUNNEL));
    }

    private static Optional<ClosedEntry> ofName(AllowRule.ToName rule) {
        HostName name = rule.host().name();
        if (TunnelName.isTunnel(name)) {
            return Optional.of(new ClosedEntry(
                    rule.text(),
                    "names below .tunnel are tunnels, which allow out does not open",
                    "name the tunnel in \"tunnels\" of the policy, once an administrator has defined it"));
        }
        if (name.isLocal()) {
            return Optional.of(
                    new ClosedEntry(rule.text(), name + " is the machine itself, which no policy opens", TUNNEL));
        }
        return Optional.empty();
    }

    /// All of it in one sentence.
    public String sentence() {
        return "the entry " + entry + " opens nothing: " + why + "; " + remedy;
    }
}
