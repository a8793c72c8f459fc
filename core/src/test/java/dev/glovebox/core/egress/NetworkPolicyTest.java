package dev.glovebox.core.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a policy may be. What it decides is in `ConnectionRulesTest`.
class NetworkPolicyTest {
    private static final List<String> ALL = List.of("ALL_TRAFFIC");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.2.3.4",
                "1.2.3.0/24",
                "1.2.3.4:5432",
                "1.2.3.0/24:8000-8100",
                "[2600::1]:443",
                "2600::1",
                "udp://1.2.3.4:123",
                "tcp://1.2.3.4:22",
                "example.com",
                "*.example.com",
                "example.com:8443",
                "example.com:443,8443",
                "tcp://example.com:22",
                "ALL_TRAFFIC"
            })
    void entriesKeepTheirText(String text) {
        AllowRule rule = AllowRule.parse(text);
        assertThat(rule.text()).isEqualTo(text);
        assertThat(rule.rule()).isEqualTo("allow_out " + text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* | ALL_TRAFFIC",
                "1.2.3.4/99 | neither an address, nor a range",
                "1.2.3.4.5 | neither an address, nor a range",
                "999.1.1.1 | neither an address, nor a range",
                "0x7f000001 | is not a host name",
                "http://example.com | begins with tcp://, udp:// or without",
                "udp://example.com:53 | UDP is opened for an address",
                "udp://1.2.3.0/24:53 | one address and one port",
                "udp://1.2.3.4 | one address and one port",
                "udp://1.2.3.4:1-2 | one address and one port",
                "tcp://example.com | needs a port",
                "example.com: | no port after the colon",
                "example.com:0 | is outside 1..65535",
                "example.com:70000 | is outside 1..65535",
                "example.com:9-8 | not a range within",
                "example.com:https | not a port",
                "1.2.3.4:1,2 | one port or one range",
                "[2600::1 | bracket",
                "[2600::1]x | bracket",
                "*.com | too wide",
                "exa mple.com | is not a host name",
                "**.example.com | a star stands only",
                "*.*.example.com | a star stands only",
                "a.*.example.com | a star stands only",
                "example.* | a star stands only",
                "*.example.com.* | a star stands only",
                "*. | is not a host name",
                "*:443 | a star stands only",
                "*.tunnel | too wide",
                "2130706433 | neither an address, nor a range",
                "0177.0.0.1 | neither an address, nor a range",
                "127.1 | neither an address, nor a range",
                "0x7f.1 | is not a host name",
                "0X7F000001 | is not a host name",
                "a.0x1 | is not a host name",
                "1.2.3.4. | neither an address, nor a range",
                "1.2.3.0/00 | neither an address, nor a range",
                "1.2.3.0/024 | neither an address, nor a range",
                "1.2.3.0/+8 | neither an address, nor a range",
                "1.2.3.0/-1 | neither an address, nor a range",
                "1.2.3.0/ | neither an address, nor a range",
                "01.2.3.0/24 | neither an address, nor a range",
                "example.com/24 | neither an address, nor a range",
                "2600::/129 | neither an address, nor a range",
                "[2600::1]:0 | is outside 1..65535",
                "[2600::1]:65536 | is outside 1..65535",
                "[]:443 | is not a host name",
                "[example.com]:443 | brackets",
                "[1.2.3.4]:443 | brackets",
                "example.com:65536 | is outside 1..65535",
                "example.com:1-65536 | not a range within",
                "example.com:0-1 | not a range within",
                "example.com:443, | not a port",
                "example.com:,443 | not a port",
                "example.com:443-443-443 | not a port",
                "example.com:+443 | not a port",
                "example.com:999999 | not a port",
                "TCP://example.com:22 | begins with tcp://, udp:// or without",
                "tcp://tcp://example.com:22 | neither an address, nor a range",
                "://example.com | begins with tcp://, udp:// or without",
                "ALL_TRAFFIC:443 | the whole entry",
                "tcp://ALL_TRAFFIC | the whole entry",
                "all_traffic | the whole entry",
                "udp://ALL_TRAFFIC:53 | UDP is opened for an address",
                "*.ALL_TRAFFIC | too wide",
            })
    void refusesEntriesInWords(String text, String words) {
        assertThatThrownBy(() -> AllowRule.parse(text))
                .isInstanceOfSatisfying(
                        GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "not-a-cidr",
                "1.2.3.4/33",
                "1.2.3.4:80",
                "",
                "all_traffic",
                "*",
                "0.0.0.0/00",
                "0/0",
                "0.0.0.0/-1",
                "1.2.3.4/+8",
                "[::1]",
                "udp://1.2.3.4",
                "::/129",
                "::1%1"
            })
    void onlyAddressesCanBeDenied(String text) {
        assertThatThrownBy(() -> DenyRule.parse(text)).hasMessage("invalid denied CIDR " + text);
    }

    /// An IPv4 address in IPv6's spelling (RFC 4291, section 2.5.5.2) is where connections to the IPv4 address go.
    @ParameterizedTest
    @CsvSource({
        "::ffff:8.8.8.8,8.8.8.8,8.8.8.9",
        "::ffff:8.8.8.0/120,8.8.8.255,8.8.9.0",
        "::FFFF:808:808,8.8.8.8,8.8.8.9",
        "::ffff:8.0.0.0/104,8.255.0.1,9.0.0.0",
    })
    void mappedRangesMeanWhatTheyMap(String text, String inside, String outside) {
        DenyRule deny = DenyRule.parse(text);
        assertThat(deny.matches(IpAddress.parse(inside).orElseThrow())).isTrue();
        assertThat(deny.matches(IpAddress.parse(outside).orElseThrow())).isFalse();
        assertThat(deny.text()).isEqualTo(text);
        AllowRule allow = AllowRule.parse(text);
        assertThat(allow).isInstanceOfSatisfying(AllowRule.ToAddress.class, rule -> {
            assertThat(rule.range().contains(IpAddress.parse(inside).orElseThrow()))
                    .isTrue();
            assertThat(rule.range().contains(IpAddress.parse(outside).orElseThrow()))
                    .isFalse();
        });
    }

    @Test
    void allMappedAddressesAreAllThereAre() {
        assertThat(NetworkPolicy.parse(List.of(), List.of("::ffff:0:0/96")).isClosed())
                .isTrue();
        assertThat(NetworkPolicy.parse(List.of(), List.of("::/0")).isClosed()).isFalse();
    }

    @Test
    void namesNeedEverythingElseClosed() {
        String words =
                "When specifying allowed domains in allow out, you must include 'ALL_TRAFFIC' in deny out to block"
                        + " all other traffic.";
        assertThatThrownBy(() -> NetworkPolicy.parse(List.of("example.com"), List.of()))
                .hasMessage(words);
        assertThatThrownBy(() -> NetworkPolicy.parse(List.of("*.example.com"), List.of("1.2.3.0/24")))
                .hasMessage(words);
        assertThat(NetworkPolicy.parse(List.of("example.com"), List.of("0.0.0.0/0"))
                        .isClosed())
                .isTrue();
        assertThat(NetworkPolicy.parse(List.of("1.2.3.4"), List.of()).isClosed())
                .isFalse();
    }

    @Test
    void countsAreBounded() {
        List<String> many = Collections.nCopies(Limits.NETWORK_ENTRIES_MAX, "1.2.3.4");
        assertThatThrownBy(() -> NetworkPolicy.parse(many, ALL)).hasMessageContaining("257 entries", "256");
        assertThat(NetworkPolicy.parse(many, List.of()).allowOut()).hasSize(Limits.NETWORK_ENTRIES_MAX);
        assertThatThrownBy(() -> new NetworkLimits(0, 1, 0, 0)).hasMessageContaining("outside 1..");
        assertThatThrownBy(() -> new NetworkLimits(1, 1, -1, 0)).hasMessageContaining("0 (no bound)");
    }

    private static NetworkPolicy withRules(NetworkPolicy base, RequestRule... rules) {
        return new NetworkPolicy(
                base.allowOut(), base.denyOut(), List.of(rules), Set.of(), Optional.empty(), NetworkLimits.DEFAULT);
    }

    private static RequestRule rule(String host, Map<String, String> headers) {
        SequencedMap<String, HeaderTemplate> templates = new LinkedHashMap<>();
        headers.forEach((name, value) -> templates.put(name, HeaderTemplate.parse(value)));
        return new RequestRule(HostPattern.parse(host), templates);
    }

    @Test
    void rulesAreForHostsThatAreOpen() {
        NetworkPolicy base = NetworkPolicy.parse(List.of("*.example.com", "tcp://raw.example:22"), ALL);
        RequestRule below = rule("api.example.com", Map.of("Authorization", "x"));
        assertThat(withRules(base, below).requests()).containsExactly(below);
        assertThatThrownBy(() -> withRules(base, rule("example.com", Map.of())))
                .hasMessageContaining("allow out does not name it");
        assertThatThrownBy(() -> withRules(base, rule("raw.example", Map.of())))
                .hasMessageContaining("allow out does not name it");
        assertThatThrownBy(() -> withRules(base, below, below)).hasMessageContaining("two rules");
        assertThat(withRules(NetworkPolicy.OPEN, below).requests()).hasSize(1);
        RequestRule[] many = new RequestRule[Limits.NETWORK_REQUEST_RULES_MAX + 1];
        for (int i = 0; i < many.length; i++) {
            many[i] = rule("h" + i + ".example.com", Map.of());
        }
        assertThatThrownBy(() -> withRules(base, many)).hasMessageContaining("rules for 11 hosts; the bound is 10");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "content-length",
                "Transfer-Encoding",
                "CONNECTION",
                "Upgrade",
                "Expect",
                "Te",
                "Trailer",
                "Content_Length",
                "transfer_encoding"
            })
    void rulesDoNotSetWhatFramesARequest(String name) {
        assertThatThrownBy(() -> rule("a.example", Map.of(name, "x")))
                .hasMessageContaining("where a request goes or ends");
    }

    @Test
    void headersAreBounded() {
        assertThatThrownBy(() -> rule("a.example", Map.of("X".repeat(65), "x"))).hasMessageContaining("65");
        assertThatThrownBy(() -> rule("a.example", Map.of("X Y", "x"))).hasMessageContaining("no header name has");
        assertThatThrownBy(() -> rule("a.example", Map.of("X", "x", "x", "y"))).hasMessageContaining("twice");
        assertThatThrownBy(() -> HeaderTemplate.parse("a".repeat(2049))).hasMessageContaining("2049", "2048");
        assertThatThrownBy(() -> HeaderTemplate.parse("a\r\nb: c")).hasMessageContaining("printable ASCII");
        Map<String, String> many = new LinkedHashMap<>();
        for (int i = 0; i < 21; i++) {
            many.put("X-" + i, "x");
        }
        assertThatThrownBy(() -> rule("a.example", many)).hasMessageContaining("21 headers", "20");
    }

    @Test
    void templatesHavePlaceholders() {
        HeaderTemplate template = HeaderTemplate.parse("Bearer ${e2b.secrets.TOKEN}, ${secrets.b-2} $x");
        assertThat(template.parts())
                .containsExactly(
                        new HeaderTemplate.Text("Bearer "),
                        new HeaderTemplate.Secret("TOKEN"),
                        new HeaderTemplate.Text(", "),
                        new HeaderTemplate.Secret("b-2"),
                        new HeaderTemplate.Text(" $x"));
        assertThat(template.hasPlaceholders()).isTrue();
        assertThat(HeaderTemplate.parse("${e2b.identity.tokens.aws}").parts())
                .containsExactly(new HeaderTemplate.IdentityToken("aws"));
        assertThat(HeaderTemplate.parse("plain").hasPlaceholders()).isFalse();
        assertThat(HeaderTemplate.parse("").parts()).isEmpty();
        for (String bad :
                List.of("${HOME}", "${e2b.secrets.}", "${e2b.secrets.a b}", "${}", "x${secrets.A", "${a${b}}")) {
            assertThatThrownBy(() -> HeaderTemplate.parse(bad)).hasMessageContaining("placeholder");
        }
    }

    @Test
    void tunnelsAndProxiesAreNamedAndBounded() {
        assertThat(new TunnelName("orders-db").host()).hasToString("orders-db.tunnel");
        assertThat(TunnelName.of(new HostName("orders-db.tunnel"))).contains(new TunnelName("orders-db"));
        assertThat(TunnelName.of(new HostName("a.b.tunnel"))).isEmpty();
        assertThat(TunnelName.of(new HostName("tunnel"))).isEmpty();
        for (String bad : List.of("", "-a", "a-", "A", "1a", "a.b", "a".repeat(64))) {
            assertThatThrownBy(() -> new TunnelName(bad)).hasMessageContaining("1 to 63");
        }
        UpstreamProxy proxy = UpstreamProxy.parse(
                "proxy.example:1080", Optional.of(new UpstreamProxy.Login("me", "hidden-password")));
        assertThat(proxy.host()).isEqualTo("proxy.example");
        assertThat(proxy.port()).isEqualTo(1080);
        assertThat(proxy.toString()).doesNotContain("hidden-password");
        assertThat(UpstreamProxy.parse("[2600::1]:1080", Optional.empty()).host())
                .isEqualTo("2600::1");
        for (String bad : List.of("proxy.example", "proxy.example:0", "proxy.example:1-2", "http://a:1", ":1080")) {
            assertThatThrownBy(() -> UpstreamProxy.parse(bad, Optional.empty())).isInstanceOf(GloveboxException.class);
        }
        assertThatThrownBy(() -> new UpstreamProxy.Login("", "x")).hasMessageContaining("1 to 255");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            10.0.0.1                | 10.0.0.1 is a private network, which no policy opens; an administrator
            10.1.2.0/24:5432        | 10.1.2.0/24 is a private network
            169.254.169.254         | a cloud's metadata service
            tcp://127.0.0.1:80      | the machine itself
            udp://10.0.0.1:53       | over TCP, an administrator can define a tunnel
            224.0.0.0/3             | groups of machines
            [fd00::1]:443           | a private network
            8000::/1                | nobody yet
            ::/3                    | nobody yet
            localhost               | localhost is the machine itself
            LOCALHOST:8080          | localhost is the machine itself
            tcp://db.localhost:5432 | db.localhost is the machine itself
            *.db.localhost          | db.localhost is the machine itself
            orders-db.tunnel        | name the tunnel in "tunnels" of the policy
            *.a.tunnel              | name the tunnel in "tunnels" of the policy
            """)
    void knowsEntriesThatOpenNothing(String entry, String words) {
        NetworkPolicy policy = NetworkPolicy.parse(List.of("a.example", entry, entry), ALL);
        assertThat(policy.closedEntries()).singleElement().satisfies(closed -> {
            assertThat(closed.entry()).isEqualTo(entry);
            assertThat(closed.sentence())
                    .startsWith("the entry " + entry + " opens nothing: ")
                    .contains(words);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALL_TRAFFIC",
                "0.0.0.0/0",
                "::/0",
                "::/2",
                "2000::/3",
                "10.0.0.0/7",
                "128.0.0.0/1",
                "1.2.3.4",
                "udp://1.2.3.4:53",
                "2600::1",
                "localhost.example",
                "mylocalhost",
                "tunnel",
                "db.internal",
                "*.corp.local"
            })
    void doesNotTalkOfEntriesThatMayOpenSomething(String entry) {
        assertThat(NetworkPolicy.parse(List.of(entry), ALL).closedEntries()).isEmpty();
    }

    /// What is said to open nothing is refused indeed, by whatever address or name.
    @Test
    void whatIsSaidToOpenNothingOpensNothing() {
        NetworkPolicy policy = NetworkPolicy.parse(
                List.of("10.0.0.0/8", "224.0.0.0/3", "localhost", "*.db.localhost", "orders-db.tunnel"), ALL);
        assertThat(policy.closedEntries()).hasSize(5);
        for (String address : List.of("10.0.0.0", "10.255.255.255", "224.0.0.0", "239.1.1.1", "255.255.255.255")) {
            EgressAttempt attempt = new EgressAttempt(
                    Protocol.TCP,
                    IpAddress.parse(address).orElseThrow(),
                    443,
                    Set.of(),
                    new Handshake.Tls(Optional.empty(), false));
            assertThat(policy.decide(attempt, Surroundings.NONE)).as(address).isInstanceOf(EgressDecision.Deny.class);
        }
        for (String name : List.of("localhost", "a.db.localhost", "orders-db.tunnel")) {
            assertThat(policy.decideName(new HostName(name))).as(name).isInstanceOf(EgressDecision.Deny.class);
            assertThat(NetworkPolicy.OPEN.decideName(new HostName(name)))
                    .as(name)
                    .isInstanceOf(EgressDecision.Deny.class);
        }
    }

    @Test
    void anEmptyPolicyNeedsNoNetwork() {
        assertThat(NetworkPolicy.CLOSED.reachesNothing()).isTrue();
        assertThat(NetworkPolicy.OPEN.reachesNothing()).isFalse();
        assertThat(NetworkPolicy.parse(List.of("1.2.3.4"), ALL).reachesNothing())
                .isFalse();
    }
}
