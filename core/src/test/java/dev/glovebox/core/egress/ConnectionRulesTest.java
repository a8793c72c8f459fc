package dev.glovebox.core.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.egress.EgressDecision.Allow;
import dev.glovebox.core.egress.EgressDecision.Deny;
import dev.glovebox.core.egress.EgressDecision.ReadName;
import dev.glovebox.core.egress.EgressDecision.Way;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionRulesTest {
    private static final List<String> ALL = List.of("ALL_TRAFFIC");
    private static final HostName API = new HostName("api.github.com");
    private static final HostName OTHER = new HostName("evil.example");
    private static final IpAddress GITHUB = address("140.82.112.5");
    private static final Tunnel DATABASE =
            new Tunnel(new TunnelName("orders-db"), "10.0.0.7", 5432, false, 4, 0, Duration.ofMinutes(5));
    private static final Surroundings SURROUNDINGS =
            new Surroundings(Set.of(address("9.9.9.9")), Map.of(DATABASE.name(), DATABASE));

    private static IpAddress address(String text) {
        return IpAddress.parse(text).orElseThrow();
    }

    private static EgressAttempt tcp(String to, int port, HostName... asked) {
        return EgressAttempt.tcp(address(to), port, Set.of(asked));
    }

    private static EgressAttempt tls(HostName shown, HostName... asked) {
        return EgressAttempt.tcp(GITHUB, 443, Set.of())
                .with(new Handshake.Tls(Optional.of(shown), false), Set.of(asked));
    }

    private static Deny denied(NetworkPolicy policy, EgressAttempt attempt, String rule) {
        EgressDecision decision = policy.decide(attempt, SURROUNDINGS);
        assertThat(decision).isInstanceOfSatisfying(Deny.class, deny -> {
            assertThat(deny.rule()).isEqualTo(rule);
            assertThat(deny.reason()).isNotBlank();
        });
        return (Deny) decision;
    }

    private static Way allowed(NetworkPolicy policy, EgressAttempt attempt, String rule) {
        EgressDecision decision = policy.decide(attempt, SURROUNDINGS);
        assertThat(decision)
                .isInstanceOfSatisfying(
                        Allow.class, allow -> assertThat(allow.rule()).isEqualTo(rule));
        return ((Allow) decision).way();
    }

    private static NetworkPolicy policy(String... allowOut) {
        return NetworkPolicy.parse(List.of(allowOut), ALL);
    }

    @Test
    void aClosedPolicyRefusesEverything() {
        denied(NetworkPolicy.CLOSED, tcp("1.1.1.1", 8080), "deny_out ALL_TRAFFIC");
        denied(NetworkPolicy.CLOSED, tcp("2600::1", 8080), "deny_out ALL_TRAFFIC");
        denied(NetworkPolicy.CLOSED, tls(API, API), "name.not_allowed");
        denied(NetworkPolicy.CLOSED, EgressAttempt.udp(address("1.1.1.1"), 123), "udp.closed");
        denied(NetworkPolicy.CLOSED, EgressAttempt.udp(address("1.1.1.1"), 443), "udp.quic");
        assertThat(NetworkPolicy.CLOSED.decide(tcp("1.1.1.1", 443), SURROUNDINGS))
                .as("read for the record")
                .isEqualTo(new ReadName(Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,loopback",
        "10.0.0.1,private",
        "169.254.169.254,metadata",
        "100.64.0.1,cgnat",
        "224.0.0.1,multicast",
        "::ffff:8.8.8.8,mapped",
        "64:ff9b::1,nat64",
        "2002::1,6to4",
        "fd00::1,private"
    })
    void noRuleOpensWhatIsSpecial(String to, String word) {
        List<String> everything = List.of("ALL_TRAFFIC", "0.0.0.0/0", "::/0", to);
        NetworkPolicy open = NetworkPolicy.parse(everything, List.of());
        denied(open, tcp(to, 80), "always." + word);
        denied(open, tcp(to, 22), "always." + word);
        denied(open, tcp(to, 443, API).with(new Handshake.Tls(Optional.of(API), false), Set.of(API)), "always." + word);
        denied(NetworkPolicy.OPEN, EgressAttempt.udp(address(to), 53), "always." + word);
    }

    @Test
    void noRuleOpensTheHostItself() {
        denied(NetworkPolicy.parse(List.of("9.9.9.9"), List.of()), tcp("9.9.9.9", 22), "always.host");
    }

    @Test
    void addressesAndPorts() {
        NetworkPolicy policy = policy("8.8.8.8", "1.2.3.0/24:5432", "udp://1.1.1.1:123");
        assertThat(allowed(policy, tcp("8.8.8.8", 853), "allow_out 8.8.8.8")).isEqualTo(new Way.Direct());
        allowed(policy, tcp("1.2.3.9", 5432), "allow_out 1.2.3.0/24:5432");
        denied(policy, tcp("1.2.3.9", 5433), "deny_out ALL_TRAFFIC");
        denied(policy, tcp("1.2.4.9", 5432), "deny_out ALL_TRAFFIC");
        denied(policy, tcp("1.1.1.1", 123), "deny_out ALL_TRAFFIC");
        allowed(policy, EgressAttempt.udp(address("1.1.1.1"), 123), "allow_out udp://1.1.1.1:123");
        denied(policy, EgressAttempt.udp(address("1.1.1.1"), 53), "udp.closed");
        denied(policy, EgressAttempt.udp(address("8.8.8.8"), 53), "udp.closed");
    }

    @Test
    void allowBeatsDeny() {
        NetworkPolicy policy = NetworkPolicy.parse(List.of("8.8.8.8"), List.of("8.8.8.0/24"));
        allowed(policy, tcp("8.8.8.8", 53), "allow_out 8.8.8.8");
        denied(policy, tcp("8.8.8.9", 53), "deny_out 8.8.8.0/24");
        allowed(policy, tcp("8.8.9.1", 53), "default.open");
    }

    @Test
    void aNameIsReadOnItsPorts() {
        NetworkPolicy policy = policy("api.github.com", "alt.example:8443");
        assertThat(policy.decide(tcp("140.82.112.5", 443, API), SURROUNDINGS)).isInstanceOf(ReadName.class);
        assertThat(policy.decide(tcp("140.82.112.5", 8443), SURROUNDINGS)).isInstanceOf(ReadName.class);
        denied(policy, tcp("140.82.112.5", 22, API), "deny_out ALL_TRAFFIC");
        assertThat(allowed(policy, tls(API, API), "allow_out api.github.com")).isEqualTo(new Way.Direct());
    }

    @Test
    void nameAndAddressMustAgree() {
        NetworkPolicy policy = policy("api.github.com", "*.pypi.example");
        assertThat(denied(policy, tls(API, OTHER), "name.address").reason()).contains("140.82.112.5", "api.github.com");
        denied(policy, tls(API), "name.address");
        denied(policy, tls(OTHER, API), "name.not_allowed");
        denied(policy, tls(OTHER, OTHER), "name.not_allowed");
        HostName files = new HostName("files.pypi.example");
        allowed(policy, tls(files, files), "allow_out *.pypi.example");
        denied(policy, tls(new HostName("pypi.example"), new HostName("pypi.example")), "name.not_allowed");
    }

    @Test
    void whoShowsNoNameIsRefused() {
        NetworkPolicy policy = policy("api.github.com");
        EgressAttempt attempt = tcp("140.82.112.5", 443, API);
        denied(policy, attempt.with(new Handshake.Silent(), Set.of(API)), "name.missing");
        denied(policy, attempt.with(new Handshake.Tls(Optional.empty(), false), Set.of(API)), "name.missing");
        assertThat(denied(policy, attempt.with(new Handshake.Unreadable("it is broken"), Set.of(API)), "name.missing")
                        .reason())
                .contains("it is broken");
        denied(policy, attempt.with(new Handshake.Tls(Optional.of(API), true), Set.of(API)), "name.encrypted");
    }

    @Test
    void plainHttpIsAlwaysLookedAtRequestByRequest() {
        NetworkPolicy policy = policy("api.github.com");
        Way way = allowed(
                policy, tcp("140.82.112.5", 80).with(new Handshake.Http(API), Set.of(API)), "allow_out api.github.com");
        assertThat(way).isEqualTo(new Way.Requests(API, false, Optional.empty()));
    }

    private static NetworkPolicy withRule(NetworkPolicy base, String header) {
        java.util.SequencedMap<String, HeaderTemplate> headers = new java.util.LinkedHashMap<>();
        headers.put("Authorization", HeaderTemplate.parse(header));
        return new NetworkPolicy(
                base.allowOut(),
                base.denyOut(),
                List.of(new RequestRule(HostPattern.parse("api.github.com"), headers)),
                Set.of(),
                Optional.empty(),
                NetworkLimits.DEFAULT);
    }

    @Test
    void aRuleForRequestsEndsTls() {
        NetworkPolicy policy = withRule(policy("api.github.com"), "Bearer ${e2b.secrets.GH}");
        Way way = allowed(policy, tls(API, API), "allow_out api.github.com");
        assertThat(way)
                .isEqualTo(new Way.Requests(
                        API, true, Optional.of(policy.requests().getFirst())));
        denied(policy, tcp("140.82.112.5", 80).with(new Handshake.Http(API), Set.of(API)), "name.plaintext");
        assertThat(allowed(
                        policy,
                        tls(API, API).with(new Handshake.Tls(Optional.of(API), true), Set.of(API)),
                        "allow_out api.github.com"))
                .as("an encrypted part is of no use against who ends TLS")
                .isInstanceOf(Way.Requests.class);
        NetworkPolicy plain = withRule(policy("api.github.com"), "literal");
        assertThat(allowed(
                        plain,
                        tcp("140.82.112.5", 80).with(new Handshake.Http(API), Set.of(API)),
                        "allow_out api.github.com"))
                .isEqualTo(new Way.Requests(
                        API, false, Optional.of(plain.requests().getFirst())));
    }

    @Test
    void headersAreSetInAnOpenPolicyOnlyWhereNameAndAddressAgree() {
        NetworkPolicy open = withRule(NetworkPolicy.OPEN, "Bearer ${e2b.secrets.GH}");
        assertThat(allowed(open, tls(API, API), "default.open")).isInstanceOf(Way.Requests.class);
        assertThat(allowed(open, tls(API, OTHER), "default.open")).isEqualTo(new Way.Direct());
        assertThat(open.decide(tcp("140.82.112.5", 443), SURROUNDINGS))
                .isEqualTo(new ReadName(Optional.of(new Allow("default.open", new Way.Direct()))));
    }

    @Test
    void rawNamesOpenTheirAddresses() {
        NetworkPolicy policy = policy("tcp://github.com:22");
        HostName github = new HostName("github.com");
        allowed(policy, tcp("140.82.112.5", 22, github), "allow_out tcp://github.com:22");
        denied(policy, tcp("140.82.112.5", 22, OTHER), "deny_out ALL_TRAFFIC");
        denied(policy, tcp("140.82.112.5", 22), "deny_out ALL_TRAFFIC");
        denied(policy, tls(github, github), "name.not_allowed");
    }

    @Test
    void tunnelsAreReachedByNameAtTheirPort() {
        NetworkPolicy policy = new NetworkPolicy(
                List.of(),
                policy().denyOut(),
                List.of(),
                Set.of(DATABASE.name()),
                Optional.empty(),
                NetworkLimits.DEFAULT);
        HostName host = DATABASE.name().host();
        assertThat(allowed(policy, tcp("198.18.0.1", 5432, host), "tunnel orders-db"))
                .isEqualTo(new Way.ThroughTunnel(DATABASE));
        denied(policy, tcp("198.18.0.1", 5433, host), "tunnel.port");
        denied(policy, tcp("198.18.0.1", 5432), "always.reserved");
        denied(policy, tcp("10.0.0.7", 5432), "always.private");
        denied(NetworkPolicy.OPEN, tcp("198.18.0.1", 5432, host), "tunnel.unknown");
        assertThat(policy.decide(tcp("198.18.0.1", 5432, host), Surroundings.NONE))
                .isInstanceOfSatisfying(
                        Deny.class, deny -> assertThat(deny.rule()).isEqualTo("tunnel.unknown"));
        assertThat(policy.decideName(host)).isInstanceOf(Allow.class);
        assertThat(NetworkPolicy.OPEN.decideName(host)).isInstanceOf(Deny.class);
    }

    @Test
    void onlyNamesThatAreOpenAreLookedUp() {
        NetworkPolicy policy = policy("api.github.com", "*.pypi.example", "8.8.8.8");
        assertThat(policy.decideName(API)).isInstanceOf(Allow.class);
        assertThat(policy.decideName(new HostName("a.b.c.pypi.example"))).isInstanceOf(Allow.class);
        for (String name : List.of("github.com", "evil.example", "pypi.example", "api.github.com.evil.example")) {
            assertThat(policy.decideName(new HostName(name)))
                    .isInstanceOfSatisfying(
                            Deny.class, deny -> assertThat(deny.rule()).isEqualTo("dns.closed"));
        }
        assertThat(policy.decideName(new HostName("a".repeat(41) + ".pypi.example")))
                .isInstanceOfSatisfying(
                        Deny.class, deny -> assertThat(deny.rule()).isEqualTo("dns.long_label"));
        assertThat(policy.decideName(new HostName("a.b.c.d.pypi.example")))
                .isInstanceOfSatisfying(
                        Deny.class, deny -> assertThat(deny.rule()).isEqualTo("dns.many_labels"));
        String named = "a".repeat(60) + ".pypi.example";
        assertThat(policy("*.pypi.example", named).decideName(new HostName(named)))
                .isEqualTo(new Allow("allow_out " + named, new Way.Direct()));
        assertThat(NetworkPolicy.OPEN.decideName(new HostName("evil.example"))).isInstanceOf(Allow.class);
    }

    /// Whatever is asked, a special address is never allowed, and what is allowed is allowed by a rule of the policy.
    @Test
    void holdsForRandomAttempts() {
        Random random = new Random(3);
        NetworkPolicy[] policies = {
            policy("api.github.com", "8.8.8.0/24", "tcp://evil.example:22"),
            NetworkPolicy.OPEN,
            NetworkPolicy.CLOSED,
            withRule(policy("api.github.com"), "x")
        };
        HostName[] names = {
            API, OTHER, new HostName("files.pypi.example"), DATABASE.name().host()
        };
        int[] ports = {22, 53, 80, 443, 8443, 65535};
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = new byte[random.nextInt(4) == 0 ? 16 : 4];
            random.nextBytes(bytes);
            IpAddress to = IpAddress.of(bytes);
            HostName shown = names[random.nextInt(3)];
            HostName asked = names[random.nextInt(3)];
            Handshake handshake = switch (random.nextInt(5)) {
                case 0 -> new Handshake.Silent();
                case 1 -> new Handshake.Tls(Optional.of(shown), random.nextBoolean());
                case 2 -> new Handshake.Tls(Optional.empty(), false);
                case 3 -> new Handshake.Http(shown);
                default -> new Handshake.Unreadable("broken");
            };
            EgressAttempt attempt = EgressAttempt.tcp(to, ports[random.nextInt(ports.length)], Set.of())
                    .with(handshake, Set.of(asked));
            NetworkPolicy policy = policies[random.nextInt(policies.length)];
            EgressDecision decision = policy.decide(attempt, SURROUNDINGS);
            assertThat(decision).isInstanceOf(EgressDecision.Settled.class);
            if (decision instanceof Allow allow) {
                assertThat(SpecialAddresses.of(to)).isEmpty();
                assertThat(allow.rule())
                        .isIn(
                                "default.open",
                                "allow_out 8.8.8.0/24",
                                "allow_out api.github.com",
                                "allow_out tcp://evil.example:22");
                assertThat(policy).isNotSameAs(NetworkPolicy.CLOSED);
                if (allow.way() instanceof Way.Requests requests) {
                    assertThat(requests.host()).isEqualTo(shown).isEqualTo(asked);
                }
            }
        }
    }

    private static PolicyExplanation explain(NetworkPolicy policy, String host, int port) {
        return PolicyExplanation.explain(policy, SURROUNDINGS, host, port, Protocol.TCP);
    }

    @Test
    void explainsItself() {
        NetworkPolicy policy = withRule(policy("api.github.com", "8.8.8.8:53"), "Bearer ${e2b.secrets.GH}");
        PolicyExplanation api = explain(policy, "API.github.com.", 443);
        assertThat(api.isAllowed()).isTrue();
        assertThat(api.rule()).isEqualTo("allow_out api.github.com");
        assertThat(api.lines()).anyMatch(line -> line.contains("Authorization: Bearer ${e2b.secrets.GH}"));
        PolicyExplanation ssh = explain(policy, "api.github.com", 22);
        assertThat(ssh.isAllowed()).isFalse();
        assertThat(ssh.rule()).isEqualTo("deny_out ALL_TRAFFIC");
        assertThat(explain(policy, "evil.example", 443).rule()).isEqualTo("dns.closed");
        assertThat(explain(policy, "8.8.8.8", 53).isAllowed()).isTrue();
        assertThat(explain(policy, "8.8.8.8", 443).rule()).isEqualTo("name.missing");
        assertThat(explain(policy, "127.0.0.1", 80).rule()).isEqualTo("always.loopback");
        assertThat(explain(NetworkPolicy.OPEN, "evil.example", 443).rule()).isEqualTo("default.open");
        assertThat(explain(NetworkPolicy.OPEN, "1.1.1.1", 443).isAllowed()).isTrue();
        assertThat(explain(NetworkPolicy.CLOSED, "1.1.1.1", 443).rule()).isEqualTo("deny_out ALL_TRAFFIC");
        assertThat(PolicyExplanation.explain(policy, SURROUNDINGS, "8.8.8.8", 53, Protocol.UDP)
                        .rule())
                .isEqualTo("udp.closed");
    }

    @Test
    void explainsThatASecretNeedsTls() {
        NetworkPolicy policy = withRule(policy("api.github.com", "api.github.com:8443"), "Bearer ${e2b.secrets.GH}");
        PolicyExplanation plain = explain(policy, "api.github.com", 80);
        assertThat(plain.isAllowed()).isFalse();
        assertThat(plain.rule()).isEqualTo("name.plaintext");
        assertThat(plain.lines())
                .contains("TLS there is allowed by allow_out api.github.com")
                .noneMatch(line -> line.contains("sets the header"));
        PolicyExplanation tls = explain(policy, "api.github.com", 8443);
        assertThat(tls.isAllowed()).isTrue();
        assertThat(tls.lines()).anyMatch(line -> line.startsWith("plain HTTP there is refused by name.plaintext: "));

        PolicyExplanation literal = explain(withRule(policy("api.github.com"), "literal"), "api.github.com", 80);
        assertThat(literal.isAllowed()).isTrue();
        assertThat(literal.lines())
                .anyMatch(line -> line.startsWith("The proxy looks at each request"))
                .anyMatch(line -> line.contains("Authorization: literal"))
                .noneMatch(line -> line.contains("TLS"));
    }

    @Test
    void explainsARefusalOfANameWithoutAnAddressThatNobodyNamed() {
        assertThat(explain(policy("api.github.com"), "api.github.com", 22).lines())
                .contains("tcp to api.github.com:22 is refused by deny_out ALL_TRAFFIC: api.github.com at port 22 is"
                        + " closed by deny out, and no entry of allow out opens it: add one");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "http://x", "1.2.3", "0x7f.1"})
    void explainsNothingThatIsNoHost(String host) {
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> explain(NetworkPolicy.OPEN, host, 80)))
                .hasMessageContaining("neither an address nor a host name");
    }
}
