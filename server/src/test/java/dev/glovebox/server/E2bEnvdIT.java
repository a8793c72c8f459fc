package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.Command;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.ObjectMapper;

/// Processes on port 49983, over a real server; the sandbox is one of [FakeGate], its programs are [FakeScript]s.
@Timeout(120)
final class E2bEnvdIT {
    private static final String END = "end {}";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.forE2b();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String process(String script) {
        Map<String, Object> process = Map.of("cmd", script);
        return new ObjectMapper().writeValueAsString(Map.of("process", process, "stdin", true));
    }

    private static String stdout(String text) {
        return "{\"event\":{\"data\":{\"stdout\":\""
                + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)) + "\"}}}";
    }

    private static long pid(String started) {
        assertThat(started).matches("\\{\"event\":\\{\"start\":\\{\"pid\":[0-9]+\\}\\}\\}");
        long pid = Long.parseLong(started.replaceAll("[^0-9]", ""));
        assertThat(pid).isGreaterThan(FakeGate.PID_BASE);
        return pid;
    }

    @ParameterizedTest
    @EnumSource
    void streamsWhatAProcessDoes(HttpClient.Version version) throws Exception {
        try (E2bClient client = new E2bClient(server, version, Tier.GVISOR);
                E2bClient.Frames frames = client.stream("process.Process/Start", process("out hi\nerr no\nexit 3"))) {
            pid(frames.next());
            assertThat(frames.rest())
                    .containsExactly(
                            stdout("hi\n"),
                            "{\"event\":{\"data\":{\"stderr\":\"bm8K\"}}}",
                            "{\"event\":{\"end\":{\"exitCode\":3,\"exited\":true,\"status\":\"exit status 3\","
                                    + "\"error\":\"exit status 3\"}}}",
                            END);
        }
    }

    /// What the client of version 2.51 sends, to the byte, with a length and in chunks.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void takesWhatTheClientSends(boolean isChunked) throws Exception {
        String json = "{\"process\":{\"cmd\":\"/bin/bash\",\"args\":[\"-l\",\"-c\",\"echo hi\"],\"envs\":{\"A\":\"1\"},"
                + "\"cwd\":\"/tmp\"},\"stdin\":false}";
        try (E2bClient client = new E2bClient(server);
                RawHttp http = new RawHttp(server.port())) {
            http.send("POST /process.Process/Start HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\n"
                    + "connect-protocol-version: 1\r\nconnect-timeout-ms: 60000\r\n"
                    + "content-type: application/connect+json\r\nkeepalive-ping-interval: 50\r\n"
                    + "e2b-sandbox-id: " + client.id + "\r\ne2b-sandbox-port: 49983\r\nx-access-token: "
                    + client.token() + "\r\naccept-encoding: gzip, deflate\r\n"
                    + (isChunked ? "transfer-encoding: chunked\r\n\r\n6d\r\n" : "content-length: 109\r\n\r\n")
                    + "\0\0\0\0\150" + json + (isChunked ? "\r\n0\r\n\r\n" : ""));
            assertThat(http.until("\r\n\r\n")).startsWith("HTTP/1.1 200 OK\r\n").contains("application/connect+json");
            assertThat(http.until("\0\0\0\2{}\r\n0\r\n\r\n"))
                    .contains("{\"event\":{\"start\":{\"pid\":")
                    .contains("{\"event\":{\"end\":{\"exitCode\":0,\"exited\":true,\"status\":\"exit status 0\"}}}");
            var spec = server.gate.started.getLast();
            assertThat(spec.arguments()).containsExactly("/bin/bash", "-l", "-c", "echo hi");
            assertThat(spec.environment()).containsEntry("A", "1").containsEntry("LOGNAME", "user");
            assertThat(spec.directory().value()).isEqualTo("/tmp");
            assertThat(spec.takesInput()).isFalse();
            assertThat(spec.limits().wallTime()).isEqualTo(Duration.ofMinutes(1));
        }
    }

    @Test
    void errorsOfStreamsStandInTheStream() throws Exception {
        try (E2bClient client = new E2bClient(server)) {
            assertThat(client.stream("process.Process/Connect", "{\"process\":{\"pid\":7}}")
                            .rest())
                    .containsExactly(
                            "end {\"error\":{\"code\":\"not_found\",\"message\":\"process with pid 7 not found\"}}");
            assertThat(client.stream("process.Process/Start", "{\"process\":1}").next())
                    .contains("\"code\":\"invalid_argument\"");
            assertThat(client.stream("process.Process/Start", "{}").next()).contains("invalid_argument");
            assertThat(client.open(client.streamRequest("process.Process/Start", process("x"))
                                    .header("Connect-Timeout-Ms", "-1"))
                            .next())
                    .contains("invalid_argument");
            byte[] cut = new byte[] {0, 0, 0, 0, 9, '{'};
            assertThat(client.open(client.request(E2bClient.ENVD, "/process.Process/Start")
                                    .header("Content-Type", "application/connect+json")
                                    .POST(HttpRequest.BodyPublishers.ofByteArray(cut)))
                            .next())
                    .startsWith("end ")
                    .contains("the stream ends after 1 of a message's 9 bytes");
        }
    }

    @Test
    void whoeverDoesNotKnowTheTokenIsRefused() throws Exception {
        try (E2bClient client = new E2bClient(server)) {
            for (String token : List.of("", "0".repeat(64), server.tokens.traffic(client.id))) {
                HttpResponse<String> response = client.send(client.bare(E2bClient.ENVD, "/process.Process/List")
                        .header("Content-Type", "application/json")
                        .header("X-Access-Token", token)
                        .POST(HttpRequest.BodyPublishers.ofString("{}")));
                assertThat(response.statusCode()).isEqualTo(401);
                assertThat(response.body()).contains("\"code\":401");
            }
            assertThat(client.send(client.bare(E2bClient.ENVD, "/metrics")).statusCode())
                    .isEqualTo(401);
            assertThat(client.send(client.bare(E2bClient.ENVD, "/health")).statusCode())
                    .isEqualTo(204);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /init, 404",
        "POST, /upgrade, 404",
        "GET, /nothing, 404",
        "GET, /process.Process/List, 405",
        "PUT, /files, 405",
        "OPTIONS, /process.Process/Start, 204"
    })
    void otherRoutes(String method, String path, int status) throws Exception {
        try (E2bClient client = new E2bClient(server)) {
            HttpResponse<String> response = client.send(
                    client.request(E2bClient.ENVD, path).method(method, HttpRequest.BodyPublishers.noBody()));
            assertThat(response.statusCode()).isEqualTo(status);
            assertThat(response.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains("*");
        }
    }

    @Test
    void unaryCallsTakeJsonAlone() throws Exception {
        try (E2bClient client = new E2bClient(server)) {
            assertThat(client.unary("process.Process/List", "{").statusCode()).isEqualTo(400);
            assertThat(client.unary("process.Process/List", "{").body()).contains("\"code\":\"invalid_argument\"");
            for (String type : List.of("application/proto", "text/plain", "application/connect+json")) {
                assertThat(client.send(client.request(E2bClient.ENVD, "/process.Process/List")
                                        .header("Content-Type", type)
                                        .POST(HttpRequest.BodyPublishers.ofString("{}")))
                                .statusCode())
                        .isEqualTo(415);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aProcessOutlivesWhoStartedIt(HttpClient.Version version) throws Exception {
        try (E2bClient client = new E2bClient(server, version, Tier.GVISOR)) {
            long pid;
            try (E2bClient.Frames frames = client.stream("process.Process/Start", process("cat"))) {
                pid = pid(frames.next());
            }
            Thread.sleep(200);
            assertThat(client.unary("process.Process/List", "{}").body())
                    .isEqualTo("{\"processes\":[{\"config\":{\"cmd\":\"cat\",\"args\":[],\"envs\":{}},\"pid\":" + pid
                            + "}]}");
            try (E2bClient.Frames again =
                    client.stream("process.Process/Connect", "{\"process\":{\"pid\":" + pid + "}}")) {
                assertThat(pid(again.next())).isEqualTo(pid);
                assertThat(client.unary(
                                        "process.Process/SendInput",
                                        "{\"process\":{\"pid\":" + pid + "},\"input\":{\"stdin\":\"aGkK\"}}")
                                .body())
                        .isEqualTo("{}");
                assertThat(client.unary("process.Process/CloseStdin", "{\"process\":{\"pid\":" + pid + "}}")
                                .body())
                        .isEqualTo("{}");
                assertThat(again.rest()).hasSize(3).startsWith(stdout("hi\n")).endsWith(END);
            }
            // A moment after its end it is still told how it ended.
            try (E2bClient.Frames late =
                    client.stream("process.Process/Connect", "{\"process\":{\"pid\":" + pid + "}}")) {
                assertThat(pid(late.next())).isEqualTo(pid);
                assertThat(late.rest()).hasSize(2).first().asString().contains("\"exitCode\":0");
            }
            assertThat(client.unary("process.Process/List", "{}").body()).isEqualTo("{\"processes\":[]}");
        }
    }

    @Test
    void allReadersGetEverything() throws Exception {
        try (E2bClient client = new E2bClient(server);
                E2bClient.Frames first = client.stream("process.Process/Start", process("cat"))) {
            long pid = pid(first.next());
            String selector = "{\"process\":{\"pid\":" + pid + "}";
            try (E2bClient.Frames second = client.stream("process.Process/Connect", selector + "}");
                    E2bClient.Frames third = client.stream("process.Process/Connect", selector + "}")) {
                second.next();
                third.next();
                client.unary("process.Process/SendInput", selector + ",\"input\":{\"stdin\":\"aGkK\"}}");
                client.unary("process.Process/CloseStdin", selector + "}");
                assertThat(second.rest()).isEqualTo(first.rest());
                assertThat(third.rest()).hasSize(3);
            }
        }
    }

    @Test
    void aKilledProcessSaysSoAndIsThenGone() throws Exception {
        try (E2bClient client = new E2bClient(server);
                E2bClient.Frames frames = client.stream("process.Process/Start", process("wait"))) {
            String kill = "{\"process\":{\"pid\":" + pid(frames.next()) + "},\"signal\":\"SIGNAL_SIGKILL\"}";
            assertThat(client.unary("process.Process/SendSignal", kill).body()).isEqualTo("{}");
            assertThat(frames.rest())
                    .containsExactly(
                            "{\"event\":{\"end\":{\"exitCode\":-1,\"exited\":false,\"status\":\"signal: killed\","
                                    + "\"error\":\"signal: killed\"}}}",
                            END);
            HttpResponse<String> again = client.unary("process.Process/SendSignal", kill);
            assertThat(again.statusCode()).isEqualTo(404);
            assertThat(again.body()).contains("\"code\":\"not_found\"");
        }
    }

    @Test
    void aProcessWithoutInputTakesNone() throws Exception {
        try (E2bClient client = new E2bClient(server);
                E2bClient.Frames frames =
                        client.stream("process.Process/Start", "{\"process\":{\"cmd\":\"wait\"},\"stdin\":false}")) {
            String pid = "{\"process\":{\"pid\":" + pid(frames.next()) + "}";
            HttpResponse<String> response =
                    client.unary("process.Process/SendInput", pid + ",\"input\":{\"stdin\":\"aGkK\"}}");
            assertThat(response.body()).contains("failed_precondition").contains("started without standard input");
            assertThat(client.unary("process.Process/SendInput", pid + ",\"input\":{\"pty\":\"aGkK\"}}")
                            .body())
                    .contains("failed_precondition");
            assertThat(client.unary("process.Process/Update", pid + ",\"pty\":{\"size\":{\"cols\":1,\"rows\":1}}}")
                            .body())
                    .contains("no terminal");
            client.unary("process.Process/SendSignal", pid + ",\"signal\":\"SIGNAL_SIGTERM\"}");
            frames.rest();
        }
    }

    @Test
    void aTagNamesAProcess() throws Exception {
        try (E2bClient client = new E2bClient(server);
                E2bClient.Frames frames =
                        client.stream("process.Process/Start", "{\"process\":{\"cmd\":\"wait\"},\"tag\":\"mine\"}")) {
            frames.next();
            assertThat(client.unary("process.Process/List", "{}").body()).contains("\"tag\":\"mine\"");
            client.unary("process.Process/SendSignal", "{\"process\":{\"tag\":\"mine\"},\"signal\":15}");
            assertThat(frames.rest()).hasSize(2);
        }
    }

    @Test
    void inputComesAsAStreamToo() throws Exception {
        try (E2bClient client = new E2bClient(server);
                E2bClient.Frames frames = client.stream("process.Process/Start", process("cat"))) {
            long pid = pid(frames.next());
            byte[] first = E2bClient.envelope("{\"start\":{\"process\":{\"pid\":" + pid + "}}}");
            byte[] second = E2bClient.envelope("{\"data\":{\"input\":{\"stdin\":\"aGk=\"}}}");
            byte[] third = E2bClient.envelope("{\"keepalive\":{}}");
            assertThat(client.open(client.request(E2bClient.ENVD, "/process.Process/StreamInput")
                                    .header("Content-Type", "application/connect+json")
                                    .POST(HttpRequest.BodyPublishers.ofByteArrays(List.of(first, second, third))))
                            .rest())
                    .containsExactly("{}", END);
            client.unary("process.Process/CloseStdin", "{\"process\":{\"pid\":" + pid + "}}");
            assertThat(frames.rest()).first().isEqualTo(stdout("hi"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void silenceIsFilled(HttpClient.Version version) throws Exception {
        try (E2bClient client = new E2bClient(server, version, Tier.GVISOR);
                E2bClient.Frames frames = client.open(client.streamRequest("process.Process/Start", process("wait"))
                        .header("Keepalive-Ping-Interval", "1"))) {
            long pid = pid(frames.next());
            assertThat(frames.next()).isEqualTo("{\"event\":{\"keepalive\":{}}}");
            client.unary(
                    "process.Process/SendSignal", "{\"process\":{\"pid\":" + pid + "},\"signal\":\"SIGNAL_SIGKILL\"}");
            frames.rest();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSandboxThatDiesCutsTheStream(HttpClient.Version version) throws Exception {
        try (E2bClient client = new E2bClient(server, version, Tier.GVISOR);
                E2bClient.Frames frames =
                        client.stream("process.Process/Start", process("out hi\nsleep 100\nrefuse backend_lost"))) {
            frames.next();
            assertThat(frames.next()).isEqualTo(stdout("hi\n"));
            assertThatThrownBy(frames::next).isInstanceOf(IOException.class);
        }
    }

    /// The processes of a sandbox end with it, some of them in time to say how: that is no news of theirs.
    @Test
    void aSandboxThatIsKilledCutsTheStream() throws Exception {
        try (E2bClient client = new E2bClient(server);
                E2bClient.Frames frames = client.stream("process.Process/Start", process("wait"))) {
            frames.next();
            server.gate.execute(
                    new Principal(TenantId.DEFAULT, "test", Principal.Role.TENANT), new Command.KillSandbox(client.id));
            assertThatThrownBy(frames::next).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aSandboxThatIsGoneAnswers502() throws Exception {
        try (E2bClient client = new E2bClient(server)) {
            server.gate.execute(
                    new Principal(TenantId.DEFAULT, "test", Principal.Role.TENANT), new Command.KillSandbox(client.id));
            assertThat(client.unary("process.Process/List", "{}").statusCode()).isEqualTo(502);
            assertThat(client.send(client.bare(E2bClient.ENVD, "/health")).statusCode())
                    .isEqualTo(502);
            assertThat(client.sendForStream(client.streamRequest("process.Process/Start", process("x")))
                            .statusCode())
                    .isEqualTo(502);
        }
    }

    @Test
    void usersAreNamedByBasicAuthorization() throws Exception {
        try (E2bClient client = new E2bClient(server)) {
            for (Map.Entry<String, String> user :
                    new HashMap<>(Map.of("root", "/" + "root", "user", "/home/user")).entrySet()) {
                String basic = "Basic "
                        + Base64.getEncoder().encodeToString((user.getKey() + ":").getBytes(StandardCharsets.UTF_8));
                client.open(client.streamRequest("process.Process/Start", process("out x"))
                                .header("Authorization", basic))
                        .rest();
                assertThat(server.gate.started.getLast().user().orElseThrow().name())
                        .isEqualTo(user.getKey());
                assertThat(server.gate.started.getLast().directory().value()).isEqualTo(user.getValue());
            }
            assertThat(client.open(client.streamRequest("process.Process/Start", process("out x"))
                                    .header("Authorization", "Basic bm9ib2R5LWhlcmU6"))
                            .next())
                    .contains("unauthenticated")
                    .contains("nobody-here");
        }
    }

    @Test
    void tiersWithoutPrograms() throws Exception {
        try (E2bClient client = new E2bClient(server, HttpClient.Version.HTTP_1_1, Tier.WASM)) {
            String command = "{\"process\":{\"cmd\":\"/bin/bash\",\"args\":[\"-l\",\"-c\",\"%s\"]}}";
            client.stream("process.Process/Start", command.formatted("python -c 'print(1)'"))
                    .rest();
            assertThat(server.gate.started.getLast().arguments()).containsExactly("python", "-c", "print(1)");
            assertThat(server.gate.started.getLast().environment()).isEmpty();
            assertThat(client.stream("process.Process/Start", command.formatted("ls | wc"))
                            .next())
                    .startsWith("end ")
                    .contains("invalid_argument")
                    .contains("the tier wasm cannot run this");
        }
    }

    @Test
    void aFloodArrivesWhole() throws Exception {
        try (E2bClient client = new E2bClient(server);
                E2bClient.Frames frames = client.stream("process.Process/Start", process("flood 320"))) {
            frames.next();
            long total = 0;
            for (String frame : frames.rest()) {
                if (frame.contains("stdout")) {
                    assertThat(frame.length()).isLessThan(48 * 1024);
                    total += Base64.getDecoder()
                            .decode(frame.substring(frame.indexOf("stdout") + 9, frame.length() - 4))
                            .length;
                }
            }
            assertThat(total).isEqualTo(320L * 64 * 1024);
        }
    }
}
