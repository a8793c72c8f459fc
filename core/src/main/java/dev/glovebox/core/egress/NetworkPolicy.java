package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What one sandbox may reach. What [#allowOut] opens is open; else what [#denyOut] closes is closed; what is
/// in neither is open, as with E2B: so a policy that is to be closed says so, and [#CLOSED] does. Special
/// addresses ([SpecialAddresses], the host's own) stay closed whatever it says.
///
/// @param requests what happens to requests to single hosts
/// @param tunnels those that the sandbox may use
/// @param proxy through which everything leaves
public record NetworkPolicy(
        List<AllowRule> allowOut,
        List<DenyRule> denyOut,
        List<RequestRule> requests,
        Set<TunnelName> tunnels,
        Optional<UpstreamProxy> proxy,
        NetworkLimits limits) {
    /// The word for every address there is.
    public static final String ALL_TRAFFIC = "ALL_TRAFFIC";

    private static final List<DenyRule> ALL = List.of(DenyRule.parse(ALL_TRAFFIC));

    /// Nothing is reached.
    public static final NetworkPolicy CLOSED = of(List.of(), ALL);

    /// Everything that is not special is reached, over TCP.
    public static final NetworkPolicy OPEN = of(List.of(), List.of());

    public NetworkPolicy {
        allowOut = List.copyOf(allowOut);
        denyOut = List.copyOf(denyOut);
        requests = List.copyOf(requests);
        tunnels = Set.copyOf(tunnels);
        checkCounts(allowOut, denyOut, requests, tunnels);
        boolean isClosed = denyOut.stream().anyMatch(DenyRule::closesAll);
        if (!isClosed && allowOut.stream().anyMatch(AllowRule.ToName.class::isInstance)) {
            throw invalid("When specifying allowed domains in allow out, you must include 'ALL_TRAFFIC' in deny out to"
                    + " block all other traffic.");
        }
        for (RequestRule rule : requests) {
            if (isClosed && !opens(allowOut, rule.host())) {
                throw invalid("there is a rule for " + rule.host() + ", but allow out does not name it: add it there");
            }
        }
        if (requests.stream().map(RequestRule::host).distinct().count() < requests.size()) {
            throw invalid("a host has two rules; one says all");
        }
    }

    private static NetworkPolicy of(List<AllowRule> allowOut, List<DenyRule> denyOut) {
        return new NetworkPolicy(allowOut, denyOut, List.of(), Set.of(), Optional.empty(), NetworkLimits.DEFAULT);
    }

    /// From texts, as they stand in a policy file.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT, in words that name the entry
    public static NetworkPolicy parse(List<String> allowOut, List<String> denyOut) {
        return of(
                allowOut.stream().map(AllowRule::parse).toList(),
                denyOut.stream().map(DenyRule::parse).toList());
    }

    private static void checkCounts(
            List<AllowRule> allowOut, List<DenyRule> denyOut, List<RequestRule> requests, Set<TunnelName> tunnels) {
        int entries = allowOut.size() + denyOut.size();
        if (entries > Limits.NETWORK_ENTRIES_MAX) {
            throw invalid("allow out and deny out have " + entries + " entries together; the bound is "
                    + Limits.NETWORK_ENTRIES_MAX);
        }
        if (requests.size() > Limits.NETWORK_REQUEST_RULES_MAX) {
            throw invalid("there are rules for " + requests.size() + " hosts; the bound is "
                    + Limits.NETWORK_REQUEST_RULES_MAX);
        }
        if (tunnels.size() > Limits.NETWORK_TUNNELS_MAX) {
            throw invalid("there are " + tunnels.size() + " tunnels; the bound is " + Limits.NETWORK_TUNNELS_MAX);
        }
    }

    private static boolean opens(List<AllowRule> allowOut, HostPattern host) {
        return allowOut.stream()
                .anyMatch(rule -> rule instanceof AllowRule.ToName name
                        && !name.isRaw()
                        && name.host().covers(host));
    }

    /// Whether everything is closed that is not opened by name or address.
    public boolean isClosed() {
        return denyOut.stream().anyMatch(DenyRule::closesAll);
    }

    /// Whether nothing at all can be reached: then a sandbox needs no network.
    public boolean reachesNothing() {
        return isClosed() && allowOut.isEmpty() && tunnels.isEmpty();
    }

    /// The entries of [#allowOut] that open nothing, whatever else is said here: for the eyes of its author.
    public List<ClosedEntry> closedEntries() {
        return allowOut.stream()
                .map(ClosedEntry::of)
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    /// May this connection be made? The one place where that is settled.
    public EgressDecision decide(EgressAttempt attempt, Surroundings surroundings) {
        return new ConnectionRules(this, surroundings).decide(attempt);
    }

    /// May the sandbox learn the addresses of this name? [EgressDecision.Way] is of no meaning here.
    public EgressDecision.Settled decideName(HostName name) {
        return NameRules.decide(this, name);
    }

    /// Whether it matters for this name which addresses it has: otherwise they need not be looked up.
    public boolean dependsOn(HostName name) {
        return requests.stream().anyMatch(rule -> rule.host().matches(name))
                || allowOut.stream()
                        .anyMatch(rule -> rule instanceof AllowRule.ToName toName
                                && toName.host().matches(name));
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
