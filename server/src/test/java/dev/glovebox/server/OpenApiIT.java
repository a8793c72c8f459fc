package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.server.api.SchemaCheck;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The published description against the running server: every operation is served, and answers as described.
final class OpenApiIT {
    private static final JsonMapper JSON = new JsonMapper();

    private static final Map<String, String> BODIES = Map.ofEntries(
            Map.entry("RunRequest", "{\"language\":\"python\",\"code\":\"out x\\nresult 1\\nraise E\"}"),
            Map.entry("SandboxRequest", "{\"metadata\":{\"a\":\"b\"}}"),
            Map.entry("LeaseRequest", "{\"leaseSeconds\":60}"),
            Map.entry("CommandRequest", "{\"args\":[\"out\",\"x\"]}"),
            Map.entry("InputRequest", "{\"text\":\"x\"}"),
            Map.entry("SignalRequest", "{\"signal\":15}"),
            Map.entry("PathRequest", "{\"path\":\"/d\"}"),
            Map.entry("MoveRequest", "{\"from\":\"/f\",\"to\":\"/g\"}"),
            Map.entry("ContextRequest", "{}"),
            Map.entry("ExecuteRequest", "{\"code\":\"out x\"}"),
            Map.entry("SecretRequest", "{\"hosts\":[\"a.example\"],\"value\":\"v\"}"),
            Map.entry("TunnelRequest", "{\"host\":\"10.0.0.1\",\"port\":5432}"),
            Map.entry("TerminalSet", "{\"columns\":80,\"rows\":24}"));

    private static TestServer server;
    private static HttpClient client;
    private static JsonNode document;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
        document = JSON.readTree(send("GET", "/openapi.json", null).body());
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static HttpResponse<String> send(String method, String path, @Nullable String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.uri(path))
                .timeout(Duration.ofSeconds(20))
                .header("X-API-KEY", server.adminKey)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    @Test
    void answersEveryOperationAsDescribed() throws Exception {
        for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
            for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
                String method = operation.getKey().toUpperCase(Locale.ROOT);
                HttpResponse<String> response = send(method, concrete(path.getKey()), body(operation.getValue()));
                check(method + " " + path.getKey(), operation.getValue(), response);
            }
        }
    }

    private static String concrete(String path) throws Exception {
        String sandbox = "";
        if (path.startsWith("/v1/sandboxes/{id}")) {
            sandbox = JSON.readTree(send("POST", "/v1/sandboxes", "{}").body())
                    .get("id")
                    .asString();
            send("PUT", "/v1/sandboxes/" + sandbox + "/files?path=/f", "content");
        }
        String context = path.contains("{cid}")
                ? JSON.readTree(send("POST", "/v1/sandboxes/" + sandbox + "/contexts", "{}")
                                .body())
                        .get("id")
                        .asString()
                : "";
        String filled = path.replace("{cid}", context)
                .replace("{pid}", "1")
                .replace("{port}", "80")
                .replace("{name}", "thing");
        filled = path.startsWith("/v1/keys/") ? "/v1/keys/key-3" : filled.replace("{id}", sandbox);
        return path.matches(".*/files(/stat|/list|/watch)?") ? filled + "?path=/f" : filled;
    }

    private static @Nullable String body(JsonNode operation) {
        JsonNode content = operation.path("requestBody").path("content");
        if (content.has("application/octet-stream")) {
            return "bytes";
        }
        String schema =
                content.path("application/json").path("schema").path("$ref").asString("");
        return schema.isEmpty() ? null : BODIES.getOrDefault(schema.substring(schema.lastIndexOf('/') + 1), "{}");
    }

    private static void check(String name, JsonNode operation, HttpResponse<String> response) {
        JsonNode described = operation.get("responses").path(Integer.toString(response.statusCode()));
        if (described.isMissingNode()) {
            described = operation.get("responses").get("default");
            assertThat(response.statusCode()).as(name + ": " + response.body()).isGreaterThanOrEqualTo(400);
            // No process runs when these are asked, nobody asks for another protocol, and the fake watches nothing.
            assertThat(name).containsAnyOf("/stdin", "/signal", "/terminal", "/ports", "/watch");
        }
        String type = response.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
        JsonNode media = described.path("content").path(type);
        if (response.statusCode() == 204) {
            assertThat(response.body()).as(name).isEmpty();
            return;
        }
        assertThat(media.isMissingNode()).as(name + " answers with " + type).isFalse();
        if (media.has("schema") && type.endsWith("json")) {
            List<String> errors = new SchemaCheck(document).errors(media.get("schema"), JSON.readTree(response.body()));
            assertThat(errors).as(name + ": " + response.body()).isEmpty();
        }
    }
}
