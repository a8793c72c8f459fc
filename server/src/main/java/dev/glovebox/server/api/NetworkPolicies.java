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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Network policies as callers write and see them. Unlike E2B's request, rules that say nothing of `denyOut`
/// close everything that they do not open.
public final class NetworkPolicies {
    private NetworkPolicies() {}

    /// What rules mean; none at all: closed.
    ///
    /// @throws dev.glovebox.core.GloveboxException INVALID_ARGUMENT, in words that name the entry
    public static NetworkPolicy policy(@Nullable NetworkRules rules) {
        if (rules == null) {
            return NetworkPolicy.CLOSED;
        }
        List<String> allowOut = ToCore.orEmpty(rules.allowOut());
        List<String> denyOut = rules.denyOut();
        checkCount(allowOut.size() + ToCore.orEmpty(denyOut).size());
        return new NetworkPolicy(
                allowOut.stream().map(AllowRule::parse).toList(),
                denyOut == null
                        ? NetworkPolicy.CLOSED.denyOut()
                        : denyOut.stream().map(DenyRule::parse).toList(),
                requests(ToCore.orEmpty(rules.rules())),
                ToCore.orEmpty(rules.tunnels()).stream().map(TunnelName::new).collect(Collectors.toSet()),
                proxy(rules.egressProxy()),
                limits(rules.limits()));
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

    private static List<RequestRule> requests(Map<String, List<NetworkRules.HostRule>> rules) {
        List<RequestRule> requests = new ArrayList<>();
        rules.forEach((host, forHost) -> {
            if (forHost.size() > 1) {
                throw ToCore.invalid("a host has one rule, with one transform");
            }
            NetworkRules.Transform transform =
                    forHost.isEmpty() ? null : forHost.getFirst().transform();
            requests.add(request(host, transform == null ? Map.of() : ToCore.orEmpty(transform.headers())));
        });
        return requests;
    }

    /// What happens to requests to a host: these headers are set.
    public static RequestRule request(String host, Map<String, String> headers) {
        SequencedMap<String, HeaderTemplate> templates = new LinkedHashMap<>();
        headers.forEach((name, value) -> templates.put(name, HeaderTemplate.parse(value)));
        return new RequestRule(HostPattern.parse(host), templates);
    }

    private static Optional<UpstreamProxy> proxy(NetworkRules.@Nullable EgressProxy proxy) {
        return proxy == null
                ? Optional.empty()
                : Optional.of(proxy(proxy.address(), proxy.username(), proxy.password()));
    }

    /// A SOCKS5 proxy.
    ///
    /// @throws dev.glovebox.core.GloveboxException INVALID_ARGUMENT if it has one of user and password only
    public static UpstreamProxy proxy(String address, @Nullable String username, @Nullable String password) {
        if ((username == null) != (password == null)) {
            throw ToCore.invalid("egressProxy needs both username and password, or neither");
        }
        return UpstreamProxy.parse(
                address,
                username == null || password == null
                        ? Optional.empty()
                        : Optional.of(new UpstreamProxy.Login(username, password)));
    }

    private static NetworkLimits limits(NetworkRules.@Nullable NetworkLimitSet asked) {
        NetworkLimits base = NetworkLimits.DEFAULT;
        if (asked == null) {
            return base;
        }
        return new NetworkLimits(
                asked.connections() == null ? base.connections() : asked.connections(),
                asked.connectionsPerSecond() == null ? base.connectionsPerSecond() : asked.connectionsPerSecond(),
                asked.bytesPerSecond() == null ? base.bytesPerSecond() : asked.bytesPerSecond(),
                asked.bytes() == null ? base.bytes() : asked.bytes());
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
