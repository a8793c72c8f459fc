package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Asks E2B's control plane.
final class ControlAnswers {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private ControlAnswers() {}

    /// What it answers.
    record Answer(int status, HttpResponse<String> response) {
        JsonNode json() {
            return JSON.readTree(response.body());
        }

        String message() {
            assertThat(json().get("code").asInt()).isEqualTo(status);
            return json().get("message").asString();
        }

        String id() {
            return json().get("sandboxID").asString();
        }
    }

    static Answer ask(TestServer server, String key, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path))
                .header("X-API-KEY", key)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response);
    }
}
