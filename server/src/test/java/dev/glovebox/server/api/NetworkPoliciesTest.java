package dev.glovebox.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.sdk.MalformedJsonException;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.api.NetworkRules;
import dev.glovebox.wire.api.PolicySchema;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkPoliciesTest {
    private static final String WHOLE = """
            {
              "$schema": "policy.schema.json",
              "description": "for the builds",
              "allowOut": ["api.github.com", "*.pypi.example", "tcp://git.example:22", "udp://1.1.1.1:123"],
              "denyOut": ["ALL_TRAFFIC"],
              "rules": {"api.github.com": [{"transform": {"headers": {"Authorization": "Bearer ${e2b.secrets.GH}"}}}]},
              "tunnels": ["orders-db"],
              "egressProxy": {"address": "proxy.example:1080", "username": "me", "password": "pw"},
              "limits": {"connections": 10, "connectionsPerSecond": 5, "bytesPerSecond": 1000, "bytes": 100000}
            }
            """;

    private static NetworkPolicy read(String json) {
        return read(json.getBytes(StandardCharsets.UTF_8));
    }

    private static NetworkPolicy read(byte[] json) {
        return NetworkPolicies.policy(RecordJson.read(NetworkRules.class, json, RecordJson.UnknownFields.REFUSED));
    }

    @Test
    void readsAWholePolicy() {
        NetworkPolicy policy = read(WHOLE);
        assertThat(policy.allowOut()).hasSize(4).extracting(AllowRule::text).contains("*.pypi.example");
        assertThat(policy.isClosed()).isTrue();
        assertThat(policy.requests()).hasSize(1);
        assertThat(policy.requests().getFirst().hasPlaceholders()).isTrue();
        assertThat(policy.tunnels()).containsExactly(new TunnelName("orders-db"));
        assertThat(policy.proxy())
                .get()
                .hasToString("UpstreamProxy[host=proxy.example, port=1080, login=Optional[Login[me]]]");
        assertThat(policy.limits()).isEqualTo(new NetworkLimits(10, 5, 1000, 100_000));
    }

    @Test
    void whatIsNotSaidIsClosed() {
        assertThat(read("{}")).isEqualTo(NetworkPolicy.CLOSED);
        assertThat(read("{\"denyOut\": []}")).isEqualTo(NetworkPolicy.OPEN);
        assertThat(read("{\"allowOut\": [\"example.com\"]}").isClosed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[] | the text must be an object",
                "{\"allowout\": []} | the field 'allowout' is not known here; known are $schema, description, allowOut",
                "{\"allowOut\": \"a.example\"} | the field 'allowOut' must be a list, not a string",
                "{\"allowOut\": [1]} | the field 'allowOut[0]' must be a string, not a number",
                "{\"allowOut\": [null]} | the field 'allowOut[0]' must be a string, not null",
                "{\"allowOut\": [], \"allowOut\": []} | the field 'allowOut' is given twice",
                "{\"allowOut\": [} | not valid JSON, or a number in it is too large (line 1",
                "{} {} | something follows the end",
                "{\"denyOut\": [\"1.2.3.4\", \"a.example\"]} | the field 'denyOut[1]': invalid denied CIDR a.example",
                "{\"allowOut\": [\"a.example\", \"b.example:x\"]} | the field 'allowOut[1]': ",
                "{\"allowOut\": [\"a.example\"], \"denyOut\": []} | you must include 'ALL_TRAFFIC' in deny out",
                "{\"rules\": {\"a.example\": []}} | allow out does not name it",
                "{\"rules\": {\"a.example\": [{}, {}]}} | the field 'rules.\"a.example\"': a host has one rule",
                "{\"rules\": {\"a b\": []}} | the field 'rules.\"a b\"': ",
                "{\"rules\": {\"b\": [{\"transform\": {\"headers\": {\"X\": \"\\n\"}}}]}} | 'rules.b[0].transform.headers.X': ",
                "{\"rules\": {\"a.example\": [{\"x\": 1}]}} | [0].x' is not known here; known are transform",
                "{\"rules\": {\"a.example\": {}}} | the field 'rules.\"a.example\"' must be a list",
                "{\"rules\": {\"a.example\": [], \"a.example\": []}} | 'rules.\"a.example\"' is given twice",
                "{\"tunnels\": [\"a\", \"A\"]} | the field 'tunnels[1]': a tunnel's name",
                "{\"egressProxy\": {}} | the field 'egressProxy.address' is missing",
                "{\"egressProxy\": {\"address\": \"a.example:1\", \"username\": \"x\"}} | 'egressProxy': egressProxy needs both username and",
                "{\"egressProxy\": {\"address\": \"a.example:0\"}} | the field 'egressProxy.address': ",
                "{\"limits\": {\"bytes\": -1}} | the field 'limits.bytes': ",
                "{\"limits\": {\"bytes\": 1.5}} | whole number",
                "{\"limits\": {\"bytes\": 99999999999999999999}} | too large",
                "{\"limits\": {\"connections\": 99999}} | the field 'limits.connections': the network's connections, 99999, are outside 1..2500",
                "{\"limits\": {\"connectionsPerSecond\": 0}} | the field 'limits.connectionsPerSecond': ",
                "{\"limits\": {\"x\": 1}} | 'limits.x' is not known here; known are connections",
            })
    void refusesInWords(String json, String words) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOfAny(GloveboxException.class, MalformedJsonException.class)
                .hasMessageContaining(words);
    }

    @Test
    void isBounded() {
        assertThatThrownBy(() -> read("{\"rules\":" + "{\"a\":[".repeat(20)))
                .isInstanceOf(MalformedJsonException.class);
        assertThatThrownBy(() -> read("{\"allowOut\":[" + "\"1.1.1.1\",".repeat(300) + "\"1.1.1.1\"]}"))
                .hasMessageContaining("301 entries together; the bound is 256");
    }

    @Test
    void theSchemaKnowsTheSameFields() {
        TreeSet<String> described = new TreeSet<>();
        Matcher matcher = Pattern.compile("\n    \"([$A-Za-z]+)\":").matcher(PolicySchema.text());
        while (matcher.find()) {
            described.add(matcher.group(1));
        }
        assertThat(described)
                .containsExactlyInAnyOrder(
                        "$schema", "description", "allowOut", "denyOut", "rules", "tunnels", "egressProxy", "limits");
        assertThat(described).allSatisfy(field -> assertThat(WHOLE).contains("\"" + field + "\""));
    }

    @Test
    void damagedFilesAreRefusedOrRead() {
        Random random = new Random(7);
        byte[] whole = WHOLE.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = whole.clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                read(bytes);
            } catch (GloveboxException | MalformedJsonException e) {
                assertThat(e.getMessage()).matches("[\\x20-\\x7e]+");
            }
        }
    }

    @Test
    void whatIsShownReadsBackTheSameButForThePassword() {
        NetworkRules shown = NetworkPolicies.rules(read(WHOLE));
        assertThat(new String(RecordJson.write(shown), StandardCharsets.UTF_8)).doesNotContain("pw");
        assertThat(shown.egressProxy()).isEqualTo(new NetworkRules.EgressProxy("proxy.example:1080", "me", null));
        NetworkPolicy plain = read(WHOLE.replace(", \"username\": \"me\", \"password\": \"pw\"", ""));
        assertThat(NetworkPolicies.policy(NetworkPolicies.rules(plain))).isEqualTo(plain);
        assertThat(NetworkPolicies.policy(NetworkPolicies.rules(NetworkPolicy.OPEN)))
                .isEqualTo(NetworkPolicy.OPEN);
        assertThat(NetworkPolicies.policy(NetworkPolicies.rules(NetworkPolicy.CLOSED)))
                .isEqualTo(NetworkPolicy.CLOSED);
    }
}
