package dev.glovebox.server.e2b.control;

import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.DenyRule;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.RequestRule;
import dev.glovebox.core.egress.UpstreamProxy;
import dev.glovebox.server.api.NetworkPolicies;
import dev.glovebox.server.e2b.control.Creation.Generation;
import dev.glovebox.wire.e2b.NetworkUpdate;
import dev.glovebox.wire.e2b.NewSandbox;
import dev.glovebox.wire.e2b.SandboxNetwork;
import dev.glovebox.wire.e2b.SandboxNetwork.EgressProxy;
import dev.glovebox.wire.e2b.SandboxNetwork.HostRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a client wants of the network. Lists mean what they mean with E2B: what allow out opens is open, else
/// what deny out closes is closed, and the rest is open. One thing is different: who says nothing at all gets
/// a closed network.
///
/// @param policy what the sandbox may reach
/// @param publicTraffic whether ports answer without the traffic token
/// @param maskedHost the `Host` that servers inside see
record NetworkWish(NetworkPolicy policy, boolean publicTraffic, Optional<String> maskedHost) {
    /// Everything, as E2B's clients write it.
    private static final String ALL_TRAFFIC = "0.0.0.0/0";

    private static final Pattern MASK = Pattern.compile("[A-Za-z0-9._:\\[\\]${}-]{1,255}");

    /// The part of a wish that is about what goes out.
    private record Out(
            @Nullable Boolean internet,
            @Nullable List<String> allowOut,
            @Nullable List<String> denyOut,
            @Nullable Map<String, List<HostRule>> rules,
            @Nullable EgressProxy proxy) {

        NetworkPolicy policy() {
            NetworkPolicies.checkCount(
                    orEmpty(allowOut).size() + orEmpty(denyOut).size());
            List<AllowRule> allowed =
                    orEmpty(allowOut).stream().map(AllowRule::parse).toList();
            return new NetworkPolicy(
                    allowed, denied(), requests(), Set.of(), upstream(), NetworkPolicy.CLOSED.limits());
        }

        /// What is closed: what is said, and everything if the internet is not wanted or nothing is said of it.
        private List<DenyRule> denied() {
            List<DenyRule> denied = new ArrayList<>(
                    orEmpty(denyOut).stream().map(DenyRule::parse).toList());
            boolean saysNothing = internet == null
                    && orEmpty(allowOut).isEmpty()
                    && orEmpty(denyOut).isEmpty();
            if (saysNothing || Boolean.FALSE.equals(internet)) {
                DenyRule all = DenyRule.parse(ALL_TRAFFIC);
                if (!denied.contains(all)) {
                    denied.add(all);
                }
            }
            return denied;
        }

        private List<RequestRule> requests() {
            List<RequestRule> requests = new ArrayList<>();
            Objects.requireNonNullElse(rules, Map.<String, List<HostRule>>of()).forEach((host, forHost) -> {
                if (forHost.size() > 1) {
                    throw ControlError.invalid("'network.rules': a host has one rule, with one transform");
                }
                SandboxNetwork.Transform transform =
                        forHost.isEmpty() ? null : forHost.getFirst().transform();
                Map<String, String> headers = transform == null ? null : transform.headers();
                requests.add(NetworkPolicies.request(host, Objects.requireNonNullElse(headers, Map.of())));
            });
            return requests;
        }

        private Optional<UpstreamProxy> upstream() {
            return Optional.ofNullable(proxy)
                    .map(asked -> NetworkPolicies.proxy(asked.address(), asked.username(), asked.password()));
        }
    }

    static NetworkWish of(NewSandbox asked, Generation generation, boolean secured) {
        // Clients of the first generation send true when their callers say nothing.
        boolean isMeant = generation == Generation.SECOND || Boolean.FALSE.equals(asked.allowInternetAccess());
        Boolean internet = isMeant ? asked.allowInternetAccess() : null;
        SandboxNetwork network = asked.network();
        if (network == null) {
            return new NetworkWish(new Out(internet, null, null, null, null).policy(), true, Optional.empty());
        }
        if (!orEmpty(network.httpsPorts()).isEmpty()) {
            throw ControlError.unsupported(
                    "'network.httpsPorts': servers inside speak plain HTTP; it is not there on this server");
        }
        boolean publicTraffic = !Boolean.FALSE.equals(network.allowPublicTraffic());
        if (!publicTraffic && !secured) {
            throw ControlError.invalid("'allowPublicTraffic: false' needs a secured sandbox");
        }
        Out out = new Out(internet, network.allowOut(), network.denyOut(), network.rules(), network.egressProxy());
        return new NetworkWish(
                out.policy(),
                publicTraffic,
                Optional.ofNullable(network.maskRequestHost()).map(NetworkWish::mask));
    }

    /// Rules that are to hold from now on, instead of all those before: what is left out is cleared.
    static NetworkPolicy of(NetworkUpdate update) {
        return new Out(
                        update.allowInternetAccess(),
                        update.allowOut(),
                        update.denyOut(),
                        update.rules(),
                        update.egressProxy())
                .policy();
    }

    /// A policy as E2B's clients see it.
    ///
    /// @param publicTraffic whether ports answer without the traffic token
    /// @param maskedHost the `Host` that servers inside see
    static SandboxNetwork view(NetworkPolicy policy, boolean publicTraffic, Optional<String> maskedHost) {
        List<String> allowOut = policy.allowOut().stream().map(AllowRule::text).toList();
        List<String> denyOut = policy.denyOut().stream()
                .map(rule -> rule.text().equals(NetworkPolicy.ALL_TRAFFIC) ? ALL_TRAFFIC : rule.text())
                .toList();
        Map<String, List<HostRule>> rules = new LinkedHashMap<>();
        policy.requests()
                .forEach(request -> rules.put(
                        request.host().toString(),
                        List.of(new HostRule(new SandboxNetwork.Transform(NetworkPolicies.headers(request))))));
        return new SandboxNetwork(
                allowOut.isEmpty() ? null : allowOut,
                denyOut.isEmpty() ? null : denyOut,
                policy.proxy()
                        .map(proxy -> new EgressProxy(
                                NetworkPolicies.address(proxy),
                                proxy.login().map(UpstreamProxy.Login::user).orElse(null),
                                null))
                        .orElse(null),
                rules.isEmpty() ? null : rules,
                publicTraffic,
                maskedHost.orElse(null),
                null);
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }

    private static String mask(String host) {
        if (!MASK.matcher(host).matches()) {
            throw ControlError.invalid("'network.maskRequestHost' is a host with a port or without");
        }
        return host;
    }
}
