package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.TunnelName;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyFileTest {
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
        return PolicyFile.read(json.getBytes(StandardCharsets.UTF_8));
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
                "[] | the policy is an object",
                "{\"allowout\": []} | \"allowout\" of the policy is not known; there are: allowOut",
                "{\"allowOut\": \"a.example\"} | allowOut is a list of texts",
                "{\"allowOut\": [1]} | an entry of allowOut is a text",
                "{\"allowOut\": [null]} | an entry of allowOut is a text",
                "{\"allowOut\": [], \"allowOut\": []} | cannot be read as JSON",
                "{\"allowOut\": [} | cannot be read as JSON, line 1",
                "{} {} | goes on after its closing brace",
                "{\"denyOut\": [\"a.example\"]} | invalid denied CIDR a.example",
                "{\"allowOut\": [\"a.example\"], \"denyOut\": []} | you must include 'ALL_TRAFFIC' in deny out",
                "{\"rules\": {\"a.example\": []}} | allow out does not name it",
                "{\"rules\": {\"a.example\": [{}, {}]}} | a host has one rule",
                "{\"rules\": {\"a.example\": [{\"x\": 1}]}} | \"x\" of a rule is not known",
                "{\"rules\": {\"a.example\": {}}} | is a list",
                "{\"tunnels\": [\"A\"]} | a tunnel's name",
                "{\"egressProxy\": {}} | needs an address",
                "{\"egressProxy\": {\"address\": \"a.example:1\", \"username\": \"x\"}} | both username and password",
                "{\"limits\": {\"bytes\": -1}} | outside 0..",
                "{\"limits\": {\"bytes\": 1.5}} | whole number",
                "{\"limits\": {\"bytes\": 99999999999999999999}} | too large",
                "{\"limits\": {\"connections\": 99999}} | outside 1..2500",
                "{\"limits\": {\"x\": 1}} | \"x\" of limits is not known",
            })
    void refusesInWords(String json, String words) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOfSatisfying(
                        GloveboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(words);
    }

    @Test
    void isBounded() {
        assertThatThrownBy(() -> PolicyFile.read(new byte[300_000])).hasMessageContaining("300000", "262144");
        assertThatThrownBy(() -> read("{\"rules\":" + "{\"a\":[".repeat(20))).isInstanceOf(GloveboxException.class);
        assertThatThrownBy(() -> read("{\"allowOut\":[" + "\"1.1.1.1\",".repeat(300) + "\"1.1.1.1\"]}"))
                .hasMessageContaining("more than 256");
    }

    @Test
    void theSchemaKnowsTheSameFields() {
        TreeSet<String> described = new TreeSet<>();
        Matcher matcher = Pattern.compile("\n    \"([$A-Za-z]+)\":").matcher(PolicyFile.schema());
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
                PolicyFile.read(bytes);
            } catch (GloveboxException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                assertThat(e.getMessage()).matches("[\\x20-\\x7e]+");
            }
        }
    }
}
