package dev.glovebox.core.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.EgressDecision.Allow;
import dev.glovebox.core.egress.EgressDecision.Deny;
import dev.glovebox.core.egress.EgressDecision.Way;
import java.util.List;

/// Which names a sandbox may look up. A look-up is a message to whoever runs the name's servers, so a name that
/// no rule opens is not looked up at all.
final class NameRules {
    private NameRules() {}

    static EgressDecision.Settled decide(NetworkPolicy policy, HostName name) {
        if (TunnelName.isTunnel(name)) {
            return TunnelName.of(name)
                    .filter(policy.tunnels()::contains)
                    .<EgressDecision.Settled>map(tunnel -> new Allow("tunnel " + tunnel, new Way.Direct()))
                    .orElseGet(() -> new Deny(
                            "dns.tunnel",
                            name + " is no tunnel of this sandbox: an administrator defines it, and the policy names it"
                                    + " in tunnels"));
        }
        if (name.isLocal()) {
            return new Deny("dns.local", name + " is the machine itself, which nobody outside is asked for");
        }
        List<AllowRule.ToName> rules = policy.allowOut().stream()
                .filter(rule ->
                        rule instanceof AllowRule.ToName toName && toName.host().matches(name))
                .map(AllowRule.ToName.class::cast)
                .toList();
        for (AllowRule.ToName rule : rules) {
            if (!rule.host().isWildcard()) {
                return new Allow(rule.rule(), new Way.Direct());
            }
        }
        if (!rules.isEmpty()) {
            return belowStar(rules.getFirst(), name);
        }
        if (policy.isClosed()) {
            return new Deny("dns.closed", "no entry of allow out names " + name + ": add it there to look it up");
        }
        return new Allow(ConnectionRules.OPEN, new Way.Direct());
    }

    /// A star leaves room for words of the guest's own, which the servers of the name would read: bounded to
    /// what real names need.
    private static EgressDecision.Settled belowStar(AllowRule.ToName rule, HostName name) {
        String words = name.value()
                .substring(0, name.value().length() - rule.host().name().value().length() - 1);
        String[] labels = words.split("\\.", -1);
        for (String label : labels) {
            if (label.length() > Limits.EGRESS_DNS_LABEL_CHARS_MAX) {
                return new Deny(
                        "dns.long_label",
                        "a part of " + label.length() + " characters below " + rule.host()
                                + " is longer than the bound of " + Limits.EGRESS_DNS_LABEL_CHARS_MAX
                                + ": name that host itself in allow out");
            }
        }
        if (labels.length > Limits.EGRESS_DNS_LABELS_MAX) {
            return new Deny(
                    "dns.many_labels",
                    labels.length + " parts below " + rule.host() + " are more than the bound of "
                            + Limits.EGRESS_DNS_LABELS_MAX + ": name that host itself in allow out");
        }
        return new Allow(rule.rule(), new Way.Direct());
    }
}
