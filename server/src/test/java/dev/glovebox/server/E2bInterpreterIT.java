package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Port 49999, over a real server; code is a [FakeScript].
@Timeout(60)
final class E2bInterpreterIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static TestServer server;
    private static E2bClient client;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.forE2b();
        client = new E2bClient(server);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static HttpRequest.Builder post(String path, Map<String, ?> body) {
        return client.request(E2bClient.INTERPRETER, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
    }

    private static List<String> execute(Map<String, ?> body) throws Exception {
        HttpResponse<String> response = client.send(post("/execute", body));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body().lines().toList();
    }

    @Test
    void streamsWhatCodeSays() throws Exception {
        List<String> lines = execute(Map.of("code", "outhex 68c3a9\nerr no\nresult 'x'\nraise ValueError"));
        assertThat(lines).hasSize(6);
        assertThat(lines.getFirst()).matches("\\{\"type\":\"number_of_executions\",\"execution_count\":[0-9]+\\}");
        assertThat(lines.get(1)).startsWith("{\"type\":\"stdout\",\"text\":\"h\\u00E9\",\"timestamp\":\"");
        assertThat(lines.get(2)).startsWith("{\"type\":\"stderr\",\"text\":\"no\\n\"");
        assertThat(lines.get(3)).isEqualTo("{\"type\":\"result\",\"text\":\"x\",\"is_main_result\":true}");
        assertThat(lines.get(4))
                .isEqualTo("{\"type\":\"error\",\"name\":\"ValueError\",\"value\":\"it went wrong\","
                        + "\"traceback\":\"Traceback: ValueError\"}");
        assertThat(lines.get(5)).isEqualTo("{\"type\":\"end_of_execution\"}");
    }

    @Test
    void aCharacterThatIsSplitComesWhole() throws Exception {
        assertThat(execute(Map.of("code", "outhex e2\nouthex 82\nouthex ac")))
                .hasSize(3)
                .element(1)
                .asString()
                .contains("\\u20AC");
    }

    @Test
    void theEnvironmentIsThatOfTheExecution() throws Exception {
        execute(Map.of("code", "out x", "env_vars", Map.of("A", "1")));
        assertThat(server.gate.executed.getLast().environment()).containsExactly(Map.entry("A", "1"));
        execute(Map.of("code", "out x"));
        assertThat(server.gate.executed.getLast().environment()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"python, python", "js, javascript", "javascript, javascript", "ts, typescript", "TypeScript, typescript"
    })
    void languagesHaveAContextEach(String asked, String language) throws Exception {
        execute(Map.of("code", "out x", "language", asked));
        String used = server.gate.executed.getLast().context().value();
        execute(Map.of("code", "out x", "language", language));
        assertThat(server.gate.executed.getLast().context().value()).isEqualTo(used);
        JsonNode contexts = JSON.readTree(
                client.send(client.request(E2bClient.INTERPRETER, "/contexts")).body());
        assertThat(contexts.findValuesAsString("language")).contains("python", "javascript", language);
        assertThat(contexts.findValuesAsString("cwd")).containsOnly("/home/user");
    }

    @Test
    void whatCannotBeExecutedIsRefused() throws Exception {
        HttpResponse<String> both =
                client.send(post("/execute", Map.of("code", "x", "language", "python", "context_id", "y")));
        assertThat(both.statusCode()).isEqualTo(400);
        HttpResponse<String> unknown = client.send(post("/execute", Map.of("code", "x", "context_id", "nope")));
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).isEqualTo("Context nope not found");
        HttpResponse<String> language = client.send(post("/execute", Map.of("code", "x", "language", "r")));
        assertThat(language.statusCode()).isEqualTo(400);
        assertThat(language.body()).contains("python, javascript, typescript, bash");
        assertThat(client.send(post("/execute", Map.of())).statusCode()).isEqualTo(400);
        assertThat(client.send(client.bare(E2bClient.INTERPRETER, "/contexts")).statusCode())
                .isEqualTo(403);
    }

    @Test
    void contextsComeAndGo() throws Exception {
        HttpResponse<String> none = client.send(post("/contexts", Map.of("cwd", "/no/such/place")));
        assertThat(none.statusCode()).isEqualTo(400);
        HttpResponse<String> made = client.send(post("/contexts", Map.of("language", "js")));
        assertThat(made.statusCode()).isEqualTo(200);
        JsonNode context = JSON.readTree(made.body());
        String id = context.get("id").asString();
        assertThat(context.get("language").asString()).isEqualTo("javascript");
        execute(Map.of("code", "out x", "context_id", id));
        String before = server.gate.executed.getLast().context().value();
        assertThat(client.send(post("/contexts/" + id + "/restart", Map.of())).statusCode())
                .isEqualTo(204);
        assertThat(execute(Map.of("code", "out x", "context_id", id)).getFirst())
                .contains("\"execution_count\":1");
        assertThat(server.gate.executed.getLast().context().value()).isNotEqualTo(before);
        assertThat(client.send(client.request(E2bClient.INTERPRETER, "/contexts/" + id)
                                .DELETE())
                        .statusCode())
                .isEqualTo(204);
        assertThat(client.send(post("/execute", Map.of("code", "x", "context_id", id)))
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void oneExecutionAtATime() throws Exception {
        HttpResponse<InputStream> first =
                client.sendForStream(post("/execute", Map.of("code", "out a\nsleep 300\nout b")));
        List<String> second = execute(Map.of("code", "out c"));
        assertThat(second).hasSize(3);
        assertThat(first.body().available())
                .as("the first was over before the second began")
                .isPositive();
        assertThat(new String(first.body().readAllBytes(), StandardCharsets.UTF_8))
                .contains("end_of_execution");
    }

    @Test
    void codeWhoseClientGoesAwayIsInterrupted() throws Exception {
        long before = server.gate.contextsInterrupted.get();
        HttpResponse<InputStream> response =
                client.sendForStream(post("/execute", Map.of("code", "out a\nsleep 2000\nout b", "language", "js")));
        response.body().readNBytes(10);
        response.body().close();
        for (int i = 0; i < 100 && server.gate.contextsInterrupted.get() == before; i++) {
            Thread.sleep(50);
        }
        assertThat(server.gate.contextsInterrupted.get()).isEqualTo(before + 1);
    }

    @Test
    void tellsThatItIsThere() throws Exception {
        HttpResponse<String> response = client.send(client.request(E2bClient.INTERPRETER, "/health"));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("\"OK\"");
    }
}
