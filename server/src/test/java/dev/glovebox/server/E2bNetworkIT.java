package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.server.ControlAnswers.Answer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/// What E2B's clients say of the network, and what they are told.
@Timeout(60)
final class E2bNetworkIT {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Answer ask(String method, String path, String body) throws IOException, InterruptedException {
        return ControlAnswers.ask(server, server.tenantKey, method, path, body);
    }

    private static Answer get(String path) throws IOException, InterruptedException {
        return ask("GET", path, "");
    }

    private static Answer create(String fields) throws IOException, InterruptedException {
        return ask("POST", "/v2/sandboxes", "{\"templateID\":\"base\"" + fields + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"network\":{\"denyOut\":[\"a.example\"]}|400|invalid denied CIDR a.example",
                "\"network\":{\"denyOut\":[\"1.2.3.4/33\"]}|400|invalid denied CIDR 1.2.3.4/33",
                "\"network\":{\"allowOut\":[\"*\"]}|400|to open everything, write ALL_TRAFFIC",
                "\"network\":{\"allowOut\":[\"a..example\"],\"denyOut\":[\"0.0.0.0/0\"]}|400|not a host name",
                "\"network\":{\"allowOut\":[\"a.example\"],\"denyOut\":[\"ALL_TRAFFIC\"],\"rules\":{\"b.example\":[]}}|400|allow out does not name it",
                "\"network\":{\"allowOut\":[\"a.example\"],\"denyOut\":[\"ALL_TRAFFIC\"],\"rules\":{\"a.example\":[{},{}]}}|400|one rule, with one transform",
                "\"network\":{\"allowOut\":[\"a.example\"],\"denyOut\":[\"ALL_TRAFFIC\"],\"rules\":{\"a.example\":[{\"transform\":{\"headers\":{\"Host\":\"x\"}}}]}}|400|no rule sets that",
                "\"network\":{\"allowOut\":[\"a.example\"],\"denyOut\":[\"ALL_TRAFFIC\"],\"rules\":{\"a.example\":[{\"transform\":{\"headers\":{\"A\":\"${x}\"}}}]}}|400|is not known: there are",
                "\"network\":{\"rules\":{\"a.example\":[{\"match\":{}}]}}|400|match",
                "\"network\":{\"egressProxy\":{\"address\":\"a.example:0\"}}|400|port",
                "\"network\":{\"egressProxy\":{\"address\":\"a.example:1\",\"username\":\"u\"}}|400|both username and password",
            })
    void refusesWhatIsNoRule(String field, int status, String words) throws Exception {
        Answer answer = create("," + field);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.message()).contains(words);
    }

    /// What holds, as the sandbox's view tells it: whether the internet is open, and the lists.
    private String network(String id) throws Exception {
        JsonNode detail = get("/sandboxes/" + id).json();
        JsonNode network = detail.get("network");
        return detail.get("allowInternetAccess") + " " + network.path("allowOut") + " " + network.path("denyOut");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|false [\"0.0.0.0/0\"]",
                ",\"allow_internet_access\":false|false [\"0.0.0.0/0\"]",
                ",\"allow_internet_access\":true|true",
                ",\"network\":{}|false [\"0.0.0.0/0\"]",
                ",\"network\":{\"allowPublicTraffic\":false}|false [\"0.0.0.0/0\"]",
                ",\"network\":{\"denyOut\":[\"8.8.8.8\"]}|true [\"8.8.8.8\"]",
                ",\"network\":{\"allowOut\":[\"1.1.1.1\"]}|true [\"1.1.1.1\"]",
                ",\"network\":{\"allowOut\":[\"1.1.1.1\"],\"denyOut\":[\"0.0.0.0/0\"]}"
                        + "|false [\"1.1.1.1\"] [\"0.0.0.0/0\"]",
                ",\"allow_internet_access\":false,\"network\":{\"allowOut\":[\"*.a.example\"]}"
                        + "|false [\"*.a.example\"] [\"0.0.0.0/0\"]",
                ",\"allow_internet_access\":true,\"network\":{\"denyOut\":[\"1.2.3.0/24\"]}|true [\"1.2.3.0/24\"]",
                ",\"network\":{\"allowOut\":[\"a.example\"],\"denyOut\":[\"ALL_TRAFFIC\"]}"
                        + "|false [\"a.example\"] [\"0.0.0.0/0\"]",
            })
    void tellsWhatASandboxMayReach(String fields, String expected) throws Exception {
        Answer made = create(fields);
        assertThat(made.status()).as(made.toString()).isEqualTo(201);
        assertThat(network(made.id()).replaceAll(" +", " ").strip()).isEqualTo(expected);
    }

    @Test
    void theFirstGenerationsDefaultOpensNothing() throws Exception {
        // Its clients send true when their callers say nothing.
        Answer made = ask("POST", "/sandboxes", "{\"templateID\":\"base\",\"allow_internet_access\":true}");
        assertThat(network(made.id())).startsWith("false");
        Answer open = ask("POST", "/sandboxes", "{\"templateID\":\"base\",\"network\":{\"denyOut\":[\"8.8.8.8\"]}}");
        assertThat(network(open.id())).startsWith("true");
    }

    @Test
    void tellsRulesAndProxyWithoutThePassword() throws Exception {
        Answer made = create(",\"network\":{\"allowOut\":[\"a.example\"],\"denyOut\":[\"0.0.0.0/0\"],\"rules\":"
                + "{\"a.example\":[{\"transform\":{\"headers\":{\"Authorization\":\"Bearer ${e2b.secrets.T}\"}}}]},"
                + "\"egressProxy\":{\"address\":\"proxy.example:1080\",\"username\":\"me\",\"password\":\"hunter2\"}}");
        String network = get("/sandboxes/" + made.id()).json().get("network").toString();
        assertThat(network)
                .contains("\"egressProxy\":{\"address\":\"proxy.example:1080\",\"username\":\"me\"}")
                .contains(
                        "{\"a.example\":[{\"transform\":{\"headers\":{\"Authorization\":\"Bearer ${e2b.secrets.T}\"}}}]}")
                .doesNotContain("hunter2");
    }

    @Test
    void replacesAllRulesOfTheNetworkOrNone() throws Exception {
        String id = create(",\"network\":{\"allowOut\":[\"a.example\"],\"denyOut\":[\"ALL_TRAFFIC\"]}")
                .id();
        String path = "/sandboxes/" + id + "/network";
        assertThat(ask("PUT", path, "{\"denyOut\":[\"8.8.8.8\"]}").status()).isEqualTo(204);
        assertThat(network(id)).isEqualTo("true  [\"8.8.8.8\"]");
        assertThat(ask("PUT", path, "{\"allowOut\":[\"b.example\"]}").message()).contains("ALL_TRAFFIC");
        assertThat(ask("PUT", path, "{\"denyOut\":[\"b.example\"]}").message()).contains("invalid denied CIDR");
        assertThat(network(id)).isEqualTo("true  [\"8.8.8.8\"]");
        assertThat(ask("PUT", path, "{\"allow_internet_access\":true}").status())
                .isEqualTo(204);
        assertThat(network(id)).startsWith("true");
        // What is left out is cleared, and what is not said is closed.
        assertThat(ask("PUT", path, "{}").status()).isEqualTo(204);
        assertThat(network(id)).isEqualTo("false  [\"0.0.0.0/0\"]");
        assertThat(ask("PUT", "/sandboxes/gone/network", "{}").status()).isEqualTo(404);
    }

    @Test
    void tiersWithoutANetworkRefuseToOpenIt() throws Exception {
        String body = "{\"templateID\":\"base:wasm\",\"allow_internet_access\":true}";
        Answer refused = ask("POST", "/v2/sandboxes", body);
        assertThat(refused.status()).isEqualTo(501);
        assertThat(refused.message()).contains("no network to open");
        String id =
                ask("POST", "/v2/sandboxes", "{\"templateID\":\"base:wasm\"}").id();
        String path = "/sandboxes/" + id + "/network";
        assertThat(ask("PUT", path, "{\"allow_internet_access\":true}").status())
                .isEqualTo(501);
        assertThat(ask("PUT", path, "{\"denyOut\":[\"0.0.0.0/0\"]}").status()).isEqualTo(204);
    }
}
