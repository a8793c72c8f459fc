package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What no well-behaved client does, and how the bytes look.
final class HttpIT {
    private static final JsonMapper JSON = new JsonMapper();

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String script(String code) {
        return "{\"language\":\"python\",\"code\":\"" + code.replace("\n", "\\n") + "\"}";
    }

    private static RawHttp.Reply ask(String request) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(request);
            return http.reply();
        }
    }

    private static RawHttp.Reply post(String path, String key, String body) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.post(path, key, "application/json", body);
            return http.reply();
        }
    }

    private static void assertProblem(RawHttp.Reply reply, int status, String code, String words) {
        assertThat(reply.status()).as(reply.toString()).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        JsonNode problem = JSON.readTree(reply.body());
        assertThat(problem.get("status").asInt()).isEqualTo(status);
        assertThat(problem.get("code").asString()).isEqualTo(code);
        assertThat(problem.get("detail").asString()).contains(words);
        assertThat(problem.has("type")).isTrue();
        assertThat(problem.has("title")).isTrue();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 500 && !condition.getAsBoolean(); i++) {
            Thread.sleep(10);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void refusesEverybodyWithoutAValidKeyInTheSameWords() throws IOException {
        String request = "GET /v1/sandboxes HTTP/1.1\r\nHost: x\r\n";
        RawHttp.Reply none = ask(request + "\r\n");
        RawHttp.Reply wrong = ask(request + "X-API-KEY: e2b_" + "0".repeat(40) + "\r\n\r\n");
        RawHttp.Reply odd = ask(request + "Authorization: Basic abc\r\n\r\n");

        assertProblem(none, 401, "unauthenticated", "API key");
        assertThat(none.header("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(wrong.body()).isEqualTo(none.body());
        assertThat(odd.body()).isEqualTo(none.body());
        assertThat(ask(request + "x-api-key: " + server.tenantKey + "\r\n\r\n").status())
                .isEqualTo(200);
        assertThat(ask(request + "authorization: bearer " + server.tenantKey + "\r\n\r\n")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void answersUnknownPathsAndMethodsWithProblems() throws IOException {
        assertProblem(ask("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"), 404, "route_not_found", "/openapi.json");
        RawHttp.Reply method = ask("DELETE /v1/run HTTP/1.1\r\nHost: x\r\n\r\n");
        assertProblem(method, 405, "method_not_allowed", "POST");
        assertThat(method.header("Allow")).isEqualTo("POST");
    }

    @Test
    void answersMalformedRequestsWithProblems() throws IOException {
        assertProblem(post("/v1/run", server.tenantKey, "{\"code\": "), 400, "invalid_argument", "not valid JSON");
        assertProblem(post("/v1/run", server.tenantKey, "{\"cod\":1}"), 400, "invalid_argument", "'cod'");
        assertProblem(post("/v1/run", server.tenantKey, ""), 400, "invalid_argument", "nothing");
        assertProblem(post("/v1/run", server.tenantKey, "{}"), 400, "invalid_argument", "'code' or 'module'");
        assertProblem(post("/v1/run", server.tenantKey, "{\"code\":\"x\"}"), 400, "invalid_argument", "'language'");
        assertProblem(
                post("/v1/run", server.tenantKey, "{\"code\":\"x\",\"language\":\"cobol\"}"),
                400,
                "invalid_argument",
                "python");
        assertProblem(
                ask("GET /v1/sandboxes?limit=x HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + server.tenantKey + "\r\n\r\n"),
                400,
                "invalid_argument",
                "'limit'");
        assertProblem(
                ask("GET /v1/sandboxes/i00000000000000000000/files HTTP/1.1\r\nHost: x\r\nX-API-KEY: "
                        + server.tenantKey + "\r\n\r\n"),
                400,
                "invalid_argument",
                "'path'");
    }

    @Test
    void boundsHeadsAndBodies() throws IOException {
        assertProblem(
                ask("GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + "a".repeat(20_000) + "\r\n\r\n"),
                400,
                "invalid_argument",
                "16384");
        assertProblem(
                ask("POST /v1/run HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + server.tenantKey
                        + "\r\nContent-Length: 70000000\r\n\r\n{"),
                413,
                "too_large",
                "67108864");
        assertProblem(
                ask("PUT /v1/sandboxes/i00000000000000000000/files?path=a HTTP/1.1\r\nHost: x\r\nX-API-KEY: "
                        + server.tenantKey + "\r\nContent-Length: 99999999999\r\n\r\n"),
                413,
                "too_large",
                "bound");
    }

    @Test
    void sendsEventsThatAnybodyCanRead() throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.post("/v1/run", server.tenantKey, "text/event-stream", script("out hi\nresult 1\nexit 4"));
            String head = http.until("\r\n\r\n");
            assertThat(head).contains("Content-Type: text/event-stream").contains("no-store");
            String events = http.until("\r\n0\r\n\r\n");
            assertThat(events)
                    .contains("event: stdout\ndata: {\"text\":\"hi\\n\"}\n\n")
                    .contains("event: result\ndata: {\"main\":true,\"data\":{\"text/plain\":\"1\"}}\n\n")
                    .contains("event: done\ndata: {\"tier\":\"wasm\"");
            // The connection serves on.
            http.post("/v1/run", server.tenantKey, "application/json", script("out again"));
            assertThat(http.reply().body()).contains("again");
        }
    }

    @Test
    void servesTheNextRequestAfterALongOne() throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            for (int i = 0; i < 3; i++) {
                http.post("/v1/run", server.tenantKey, "application/json", script("sleep 80\nout " + i));
                assertThat(http.reply().body()).contains("\"stdout\":\"" + i + "\\n\"");
            }
        }
    }

    @Test
    void keepsRequestsThatAreSentAheadInOrder() throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.post("/v1/run", server.tenantKey, "application/json", script("sleep 150\nout first"));
            http.post("/v1/run", server.tenantKey, "application/json", script("out second"));
            assertThat(http.reply().body()).contains("first");
            assertThat(http.reply().body()).contains("second");
        }
    }

    @Test
    void endsARunWhoseClientGoesAway() throws Exception {
        goAway();
    }

    private static void goAway() throws Exception {
        for (String accept : new String[] {"application/json", "text/event-stream"}) {
            long before = server.gate.interrupted.get();
            try (RawHttp http = new RawHttp(server.port())) {
                http.post("/v1/run", server.tenantKey, accept, script("sleep 30000"));
                Thread.sleep(150);
            }
            await(() -> server.gate.interrupted.get() == before + 1);
        }
    }

    @Test
    void endsARunWhoseClientGoesAwayInTheMiddleOfTheOutput() throws Exception {
        long before = server.gate.interrupted.get();
        try (RawHttp http = new RawHttp(server.port())) {
            http.post("/v1/run", server.tenantKey, "text/event-stream", script("flood 100000"));
            http.until("event: stdout");
        }
        await(() -> server.gate.interrupted.get() == before + 1);
    }

    /// Clients come and go; an operator need not hear of it.
    @Test
    void logsNothingOfClientsThatGoAway() throws Exception {
        JsonLog.show();
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            goAway();
            String id = JSON.readTree(post("/v1/sandboxes", server.tenantKey, "{\"tier\":\"wasm\"}")
                            .body())
                    .get("id")
                    .asString();
            long written = server.gate.bytesWritten.get();
            try (RawHttp http = new RawHttp(server.port())) {
                http.send("PUT /v1/sandboxes/" + id + "/files?path=x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                        + server.tenantKey + "\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n" + "half".repeat(0x4000)
                        + "\r\n");
                await(() -> server.gate.bytesWritten.get() == written + 0x10000);
            }
            // The server notices when it has ended these threads' work, and has answered somebody else by then.
            for (int i = 0; i < 20; i++) {
                assertThat(ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").status())
                        .isEqualTo(200);
                Thread.sleep(10);
            }
        } finally {
            System.setErr(before);
        }
        assertThat(log.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void holdsAGuestBackForASlowClient() throws Exception {
        try (RawHttp slow = new RawHttp(server.port())) {
            slow.post("/v1/run", server.tenantKey, "text/event-stream", script("flood 400"));
            Thread.sleep(300);
            // Others are served meanwhile.
            assertThat(post("/v1/run", server.tenantKey, script("out x")).status())
                    .isEqualTo(200);
            assertThat(slow.until("event: done")).hasSizeGreaterThan(400 * 64 * 1024);
        }
    }

    @Test
    void showsMetricsToAdministratorsOnly() throws IOException {
        assertThat(ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").status()).isEqualTo(401);
        assertProblem(
                ask("GET /metrics HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + server.tenantKey + "\r\n\r\n"),
                403,
                "forbidden",
                "administrator");
        RawHttp.Reply metrics = ask("GET /metrics HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + server.adminKey + "\r\n\r\n");
        assertThat(metrics.body()).contains("glovebox_sandboxes_live 7.0").contains("jvm_memory_used_bytes");
    }

    @Test
    void isHealthyWithoutAKey() throws IOException {
        assertThat(ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").body()).isEqualTo("{\"status\":\"ok\"}");
        assertThat(ask("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n").status()).isEqualTo(200);
    }

    @Test
    void speaksHttp2() throws Exception {
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .connectTimeout(Duration.ofSeconds(10))
                .build()) {
            HttpRequest request = HttpRequest.newBuilder(server.uri("/v1/run"))
                    .timeout(Duration.ofSeconds(20))
                    .header("X-API-KEY", server.tenantKey)
                    .POST(HttpRequest.BodyPublishers.ofString(script("sleep 80\nout two")))
                    .build();
            client.send(HttpRequest.newBuilder(server.uri("/healthz")).build(), HttpResponse.BodyHandlers.discarding());
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(response.body()).contains("two");
        }
    }
}
