package dev.glovebox.server;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.ClosedEntry;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.PolicyExplanation;
import dev.glovebox.core.egress.Protocol;
import dev.glovebox.core.egress.Surroundings;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.sdk.ApiException;
import dev.glovebox.server.api.NetworkPolicies;
import dev.glovebox.server.api.Problems;
import dev.glovebox.wire.api.NetworkRules;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Says what a network policy would decide, for the command line; without a server, and nothing is looked up.
public final class PolicyTool {
    private PolicyTool() {}

    /// What is said.
    ///
    /// @param rule the rule that decides
    /// @param lines sentences for people
    public record Explanation(boolean isAllowed, String rule, List<String> lines) {}

    /// May a sandbox with these rules connect there?
    ///
    /// @param host a name, an address, or `NAME.tunnel`
    /// @param isUdp instead of TCP
    /// @throws ApiException in the words of a server, if the rules are none or the host is none
    public static Explanation explain(NetworkRules rules, String host, int port, boolean isUdp) {
        try {
            NetworkPolicy policy = NetworkPolicies.policy(rules);
            Protocol protocol = isUdp ? Protocol.UDP : Protocol.TCP;
            PolicyExplanation said =
                    PolicyExplanation.explain(policy, surroundings(policy, port), host, port, protocol);
            return new Explanation(said.isAllowed(), said.rule(), said.lines());
        } catch (GloveboxException e) {
            throw refusal(e);
        }
    }

    /// A sentence for each entry of the rules that opens nothing, whatever else they say.
    ///
    /// @throws ApiException in the words of a server, if the rules are none
    public static List<String> closedEntries(NetworkRules rules) {
        try {
            return NetworkPolicies.policy(rules).closedEntries().stream()
                    .map(ClosedEntry::sentence)
                    .toList();
        } catch (GloveboxException e) {
            throw refusal(e);
        }
    }

    /// Whether this can be an entry of `allowOut`; for one that stands in no document.
    ///
    /// @throws ApiException in the words of a server, if it cannot
    public static void checkEntry(String entry) {
        try {
            AllowRule.parse(entry);
        } catch (GloveboxException e) {
            throw refusal(e);
        }
    }

    private static ApiException refusal(GloveboxException e) {
        return new ApiException(Problems.of(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage())));
    }

    /// Which tunnels there are is known to the server only: those that the policy names are taken for defined, at the
    /// port that is asked for.
    private static Surroundings surroundings(NetworkPolicy policy, int port) {
        return new Surroundings(
                Set.of(),
                policy.tunnels().stream()
                        .map(name -> new Tunnel(name, "tunnel.invalid", port, false, 1, 0, Duration.ofSeconds(1)))
                        .collect(Collectors.toMap(Tunnel::name, Function.identity())));
    }
}
