package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.Command;
import dev.glovebox.core.Language;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.server.e2b.SandboxFacts;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests to servers inside sandboxes, over a real server; the server inside is [FakeHttp].
@Timeout(60)
final class E2bProxyIT {
    private static TestServer server;
    private static SandboxId id;

    @BeforeAll
    static void start() {
        server = new TestServer();
        id = sandbox(Optional.empty());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static SandboxId sandbox(Optional<String> maskedHost) {
        SandboxFacts facts = new SandboxFacts(Optional.of("base"), true, true, maskedHost);
        SandboxSpec spec = new SandboxSpec(
                Optional.of(Tier.GVISOR),
                Language.PYTHON,
                Duration.ofMinutes(5),
                ResourceLimits.DEFAULT,
                Map.of(),
                facts.into(Map.of()));
        return server.gate
                .execute(
                        new Principal(TenantId.DEFAULT, "test", Principal.Role.TENANT), new Command.CreateSandbox(spec))
                .id();
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.uri(path))
                .header("E2b-Sandbox-Id", id.value())
                .header("E2b-Sandbox-Port", Integer.toString(FakePorts.HTTP));
    }

    private static HttpResponse<String> send(HttpClient.Version version, HttpRequest request)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
            // The first request of this client to a plain port is one of HTTP/1.1 that asks for HTTP/2.
            if (version == HttpClient.Version.HTTP_2) {
                client.send(
                        HttpRequest.newBuilder(server.uri("/healthz")).build(), HttpResponse.BodyHandlers.discarding());
            }
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.version()).isEqualTo(version);
            return response;
        }
    }

    @ParameterizedTest
    @EnumSource
    void handsOnWhatBelongsToTheGuestAndNothingElse(HttpClient.Version version) throws Exception {
        HttpResponse<String> response = send(
                version,
                request("/echo?a=%20b&c=//d")
                        .header("X-Own", "kept")
                        .header("E2B-Traffic-Access-Token", server.tokens.traffic(id))
                        .header("X-Access-Token", server.tokens.access(id))
                        .header("X-API-KEY", server.tenantKey)
                        .header("Authorization", "Bearer " + server.tenantKey)
                        .header("X-Forwarded-For", "1.2.3.4")
                        .POST(HttpRequest.BodyPublishers.ofString("the body"))
                        .build());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("X-Path")).contains("/echo?a=%20b&c=//d");
        assertThat(response.body())
                .startsWith("POST /echo?a=%20b&c=//d HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\n")
                .containsIgnoringCase("X-Own: kept\r\n")
                .contains("X-Forwarded-For: 127.0.0.1\r\n")
                .contains("X-Forwarded-Proto: http\r\n")
                .contains("Connection: close\r\n")
                .endsWith("\r\n\r\nthe body")
                .doesNotContainIgnoringCase("E2b-")
                .doesNotContainIgnoringCase("X-Access-Token")
                .doesNotContainIgnoringCase("Authorization")
                .doesNotContain("e2b_")
                .doesNotContain("1.2.3.4");
    }

    @Test
    void leavesAServersOwnCredentialsAlone() throws Exception {
        assertThat(send(
                                HttpClient.Version.HTTP_1_1,
                                request("/echo")
                                        .header("Authorization", "Bearer mine")
                                        .header("X-API-KEY", "app-key")
                                        .build())
                        .body())
                .containsIgnoringCase("Authorization: Bearer mine\r\n")
                .containsIgnoringCase("X-API-KEY: app-key\r\n");
    }

    @ParameterizedTest
    @EnumSource
    void carriesLongBodies(HttpClient.Version version) throws Exception {
        byte[] body = new byte[3_000_000];
        assertThat(send(
                                version,
                                request("/echo")
                                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                        .build())
                        .body())
                .contains("(3000000 bytes)");
        HttpRequest unknownLength = request("/echo")
                .POST(HttpRequest.BodyPublishers.ofInputStream(
                        () -> new java.io.ByteArrayInputStream("of unknown length".getBytes(StandardCharsets.UTF_8))))
                .build();
        assertThat(send(version, unknownLength).body())
                .contains("Transfer-Encoding: chunked\r\n")
                .endsWith("\r\n\r\n11\r\nof unknown length\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @EnumSource
    void sendsHeadAndPartsAsTheyCome(HttpClient.Version version) throws Exception {
        try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
            // The head is here although nothing of the body is.
            HttpResponse<InputStream> response =
                    client.send(request("/slow").build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
            for (int i = 0; i < 3; i++) {
                FakeHttp.SLOW.release();
                assertThat(new String(response.body().readNBytes(9), StandardCharsets.UTF_8))
                        .isEqualTo("data: " + i + "\n\n");
            }
            assertThat(response.body().read()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void understandsEveryWayToEndABody(HttpClient.Version version) throws Exception {
        assertThat(send(version, request("/until-end").build()).body()).isEqualTo("all of it");
        assertThat(send(version, request("/interim").build()).body()).isEqualTo("ok");
        HttpResponse<String> nothing = send(version, request("/nothing").build());
        assertThat(nothing.statusCode()).isEqualTo(304);
        assertThat(nothing.headers().firstValue("ETag")).contains("\"1\"");
        HttpResponse<String> head = send(version, request("/head").HEAD().build());
        assertThat(head.headers().firstValue("Content-Length")).contains("5");
        assertThat(head.body()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void doesNotPassAPartOffAsTheWhole(HttpClient.Version version) {
        for (String path : new String[] {"/broken", "/broken-chunk"}) {
            assertThatThrownBy(() -> send(version, request(path).build()))
                    .as(path)
                    .isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/silent", "/garbage", "/two-lengths", "/length-and-chunks"})
    void doesNotBelieveWhatIsNoAnswer(String path) throws Exception {
        HttpResponse<String> response =
                send(HttpClient.Version.HTTP_1_1, request(path).build());
        assertThat(response.statusCode()).isEqualTo(502);
        assertThat(response.body()).contains("gave no answer in HTTP").contains("\"port\":" + FakePorts.HTTP);
    }

    @Test
    void keepsCookiesToTheHostAndHeadersOfAConnectionToIt() throws Exception {
        HttpResponse<String> response =
                send(HttpClient.Version.HTTP_1_1, request("/cookies").build());
        assertThat(response.statusCode()).isEqualTo(302);
        assertThat(response.headers().allValues("Set-Cookie")).containsExactly("a=1; Path=/", "b=2");
        assertThat(response.headers().firstValue("X-Secret")).isEmpty();
    }

    @Test
    void takesAnAnswerThatComesBeforeTheRequestIsRead() throws Exception {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("POST /early HTTP/1.1\r\nHost: 1006-" + id + ".box.test\r\nContent-Length: 9000000\r\n\r\nx");
            assertThat(http.reply().body()).isEqualTo("no");
            assertThatThrownBy(() -> http.until("\n")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void saysThatAPortIsNotOpenAndWaitsForOneThatIsAboutTo() throws Exception {
        HttpRequest closed = HttpRequest.newBuilder(server.uri("/"))
                .header("E2b-Sandbox-Id", id.value())
                .header("E2b-Sandbox-Port", "7")
                .build();
        HttpResponse<String> response = send(HttpClient.Version.HTTP_1_1, closed);
        assertThat(response.statusCode()).isEqualTo(502);
        assertThat(response.body())
                .isEqualTo("{\"sandboxId\":\"" + id
                        + "\",\"message\":\"The sandbox is running but port is not open\",\"port\":7,\"code\":502}");
        HttpRequest late = HttpRequest.newBuilder(server.uri("/echo"))
                .header("E2b-Sandbox-Id", id.value())
                .header("E2b-Sandbox-Port", Integer.toString(FakePorts.LATE))
                .build();
        assertThat(send(HttpClient.Version.HTTP_1_1, late).statusCode()).isEqualTo(200);
    }

    @Test
    void masksTheHost() throws IOException {
        SandboxId masked = sandbox(Optional.of("localhost:${PORT}"));
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("GET /echo HTTP/1.1\r\nHost: 1006-" + masked + ".box.test\r\nOrigin: https://1006-" + masked
                    + ".box.test\r\n\r\n");
            assertThat(http.reply().body())
                    .contains("\r\nHost: localhost:1006\r\n")
                    .contains("\r\nOrigin: https://localhost:1006\r\n")
                    .contains("\r\nX-Forwarded-Host: 1006-" + masked + ".box.test\r\n");
        }
    }

    @Test
    void reusesTheClientsConnectionForOthersSafely() throws IOException {
        SandboxId other = sandbox(Optional.empty());
        try (RawHttp http = new RawHttp(server.port())) {
            for (SandboxId each : new SandboxId[] {id, other, id}) {
                http.send("GET /echo HTTP/1.1\r\nHost: 1006-" + each + ".box.test\r\n\r\n");
                assertThat(http.reply().body()).contains("Host: 1006-" + each);
            }
        }
    }

    private static String upgrade(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: 1006-" + id + ".box.test\r\nConnection: keep-alive, Upgrade\r\n"
                + "Upgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n";
    }

    @Test
    void switchesProtocolsAndClosesEachHalfForItself() throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            // The client does not wait for the answer.
            http.send(upgrade("/switch") + "early ");
            assertThat(http.until("early "))
                    .startsWith("HTTP/1.1 101 Switching Protocols\r\n")
                    .contains("Sec-WebSocket-Accept: yes\r\n")
                    .endsWith("\r\n\r\nhello early ");
            http.send("more");
            http.until("more");
            http.shutdownOutput();
            assertThat(http.until("bye")).isEqualTo(" bye");
        }
    }

    @Test
    void staysWithHttpIfTheServerDoes() throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send(upgrade("/no-switch"));
            assertThat(http.reply().status()).isEqualTo(426);
            http.send("GET /echo HTTP/1.1\r\nHost: 1006-" + id + ".box.test\r\n\r\n");
            assertThat(http.reply().body()).startsWith("GET /echo HTTP/1.1");
        }
    }

    @Test
    void endsWhatAClientLeft() throws Exception {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("GET /wait HTTP/1.1\r\nHost: 1006-" + id + ".box.test\r\n\r\n");
            http.until("\r\n\r\n");
            assertThat(server.gate.portsOpen.get()).isPositive();
        }
        for (int i = 0; i < 100 && server.gate.portsOpen.get() > 0; i++) {
            Thread.sleep(50);
        }
        assertThat(server.gate.portsOpen.get()).isZero();
    }
}
