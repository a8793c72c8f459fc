package dev.glovebox.server.api;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.DenyRule;
import dev.glovebox.core.egress.HeaderTemplate;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.RequestRule;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.core.egress.UpstreamProxy;
import dev.glovebox.wire.api.NetworkRules;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Network policies as callers write and see them. Unlike E2B's request, rules that say nothing of `denyOut`
/// close everything that they do not open.
public final class NetworkPolicies {
    private NetworkPolicies() {}

    /// What rules mean; none at all: closed.
    ///
    /// @throws dev.glovebox.core.GloveboxException INVALID_ARGUMENT, in words that name the entry and its place
    public static NetworkPolicy policy(@Nullable NetworkRules rules) {
        return policy(rules, FieldPath.ROOT);
    }

    /// The same of rules that stand within something.
    static NetworkPolicy policy(@Nullable NetworkRules rules, FieldPath at) {
        if (rules == null) {
            return NetworkPolicy.CLOSED;
        }
        List<String> allowOut = ToCore.orEmpty(rules.allowOut());
        List<String> denyOut = rules.denyOut();
        checkCount(allowOut.size() + ToCore.orEmpty(denyOut).size());
        return new NetworkPolicy(
                at.field("allowOut").readAll(allowOut, AllowRule::parse),
                denyOut == null
                        ? NetworkPolicy.CLOSED.denyOut()
                        : at.field("denyOut").readAll(denyOut, DenyRule::parse),
                requests(ToCore.orEmpty(rules.rules()), at.field("rules")),
                Set.copyOf(at.field("tunnels").readAll(ToCore.orEmpty(rules.tunnels()), TunnelName::new)),
                proxy(rules.egressProxy(), at.field("egressProxy")),
                limits(rules.limits(), at.field("limits")));
    }

    /// Before any of them is read.
    ///
    /// @throws dev.glovebox.core.GloveboxException INVALID_ARGUMENT
    public static void checkCount(int entries) {
        if (entries > Limits.NETWORK_ENTRIES_MAX) {
            throw ToCore.invalid("allow out and deny out have " + entries + " entries together; the bound is "
                    + Limits.NETWORK_ENTRIES_MAX);
        }
    }

    private static List<RequestRule> requests(Map<String, List<NetworkRules.HostRule>> rules, FieldPath at) {
        List<RequestRule> requests = new ArrayList<>();
        rules.forEach((host, forHost) -> requests.add(request(host, forHost, at.field(host))));
        return requests;
    }

    private static RequestRule request(String host, List<NetworkRules.HostRule> forHost, FieldPath at) {
        NetworkRules.Transform transform =
                forHost.isEmpty() ? null : forHost.getFirst().transform();
        FieldPath headers = at.item(0).field("transform").field("headers");
        SequencedMap<String, HeaderTemplate> templates = new LinkedHashMap<>();
        (transform == null ? Map.<String, String>of() : ToCore.orEmpty(transform.headers()))
                .forEach((name, value) ->
                        templates.put(name, headers.field(name).read(() -> HeaderTemplate.parse(value))));
        return at.read(() -> {
            if (forHost.size() > 1) {
                throw ToCore.invalid("a host has one rule, with one transform");
            }
            return new RequestRule(HostPattern.parse(host), templates);
        });
    }

    /// What happens to requests to a host: these headers are set.
    public static RequestRule request(String host, Map<String, String> headers) {
        SequencedMap<String, HeaderTemplate> templates = new LinkedHashMap<>();
        headers.forEach((name, value) -> templates.put(name, HeaderTemplate.parse(value)));
        return new RequestRule(HostPattern.parse(host), templates);
    }

    private static Optional<UpstreamProxy> proxy(NetworkRules.@Nullable EgressProxy proxy, FieldPath at) {
        if (proxy == null) {
            return Optional.empty();
        }
        Optional<UpstreamProxy.Login> login = at.read(() -> login(proxy.username(), proxy.password()));
        return Optional.of(at.field("address").read(() -> UpstreamProxy.parse(proxy.address(), login)));
    }

    /// A SOCKS5 proxy.
    ///
    /// @throws dev.glovebox.core.GloveboxException INVALID_ARGUMENT if it has one of user and password only
    public static UpstreamProxy proxy(String address, @Nullable String username, @Nullable String password) {
        return UpstreamProxy.parse(address, login(username, password));
    }

    private static Optional<UpstreamProxy.Login> login(@Nullable String username, @Nullable String password) {
        if ((username == null) != (password == null)) {
            throw ToCore.invalid("egressProxy needs both username and password, or neither");
        }
        return username == null || password == null
                ? Optional.empty()
                : Optional.of(new UpstreamProxy.Login(username, password));
    }

    private static NetworkLimits limits(NetworkRules.@Nullable NetworkLimitSet asked, FieldPath at) {
        NetworkLimits base = NetworkLimits.DEFAULT;
        if (asked == null) {
            return base;
        }
        int connections = asked.connections() == null ? base.connections() : asked.connections();
        int perSecond =
                asked.connectionsPerSecond() == null ? base.connectionsPerSecond() : asked.connectionsPerSecond();
        long bytesPerSecond = asked.bytesPerSecond() == null ? base.bytesPerSecond() : asked.bytesPerSecond();
        long bytes = asked.bytes() == null ? base.bytes() : asked.bytes();
        // One after the other, so that it is known which is out of its bounds.
        at.field("connections").read(() -> new NetworkLimits(connections, 1, 0, 0));
        at.field("connectionsPerSecond").read(() -> new NetworkLimits(1, perSecond, 0, 0));
        at.field("bytesPerSecond").read(() -> new NetworkLimits(1, 1, bytesPerSecond, 0));
        at.field("bytes").read(() -> new NetworkLimits(1, 1, 0, bytes));
        return new NetworkLimits(connections, perSecond, bytesPerSecond, bytes);
    }

    /// A policy as a caller sees it: what would give the same, but for the proxy's password, which is told to nobody.
    static NetworkRules rules(NetworkPolicy policy) {
        NetworkLimits limits = policy.limits();
        return new NetworkRules(
                null,
                null,
                policy.allowOut().stream().map(AllowRule::text).toList(),
                policy.denyOut().stream().map(DenyRule::text).toList(),
                policy.requests().isEmpty() ? null : hostRules(policy.requests()),
                policy.tunnels().isEmpty()
                        ? null
                        : policy.tunnels().stream()
                                .map(TunnelName::value)
                                .sorted()
                                .toList(),
                policy.proxy().map(NetworkPolicies::proxy).orElse(null),
                new NetworkRules.NetworkLimitSet(
                        limits.connections(), limits.connectionsPerSecond(), limits.bytesPerSecond(), limits.bytes()));
    }

    private static Map<String, List<NetworkRules.HostRule>> hostRules(List<RequestRule> requests) {
        Map<String, List<NetworkRules.HostRule>> rules = new LinkedHashMap<>();
        requests.forEach(request -> rules.put(
                request.host().toString(),
                List.of(new NetworkRules.HostRule(new NetworkRules.Transform(headers(request))))));
        return rules;
    }

    /// The headers that a rule sets, with their placeholders.
    public static Map<String, String> headers(RequestRule request) {
        Map<String, String> headers = new LinkedHashMap<>();
        request.headers().forEach((name, template) -> headers.put(name, template.text()));
        return headers;
    }

    private static NetworkRules.EgressProxy proxy(UpstreamProxy proxy) {
        return new NetworkRules.EgressProxy(
                address(proxy), proxy.login().map(UpstreamProxy.Login::user).orElse(null), null);
    }

    /// Where a proxy is, as [UpstreamProxy#parse] reads it.
    public static String address(UpstreamProxy proxy) {
        String host = proxy.host().indexOf(':') >= 0 ? "[" + proxy.host() + "]" : proxy.host();
        return host + ":" + proxy.port();
    }
}
