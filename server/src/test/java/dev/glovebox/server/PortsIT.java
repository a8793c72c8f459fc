package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.PortConnection;
import dev.glovebox.sdk.PortForward;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.SandboxRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Connections to ports through a real server and the SDK, over both listeners; the sandbox behind is a fake.
@Timeout(60)
final class PortsIT {
    private static TestServer server;
    private static Glovebox remote;
    private static Glovebox local;

    @BeforeAll
    static void start() {
        server = new TestServer();
        remote = server.client(server.tenantKey);
        local = Glovebox.connect(server.socket);
    }

    @AfterAll
    static void stop() {
        remote.close();
        local.close();
        server.close();
    }

    enum Over {
        NETWORK,
        SOCKET;

        Glovebox client() {
            return this == NETWORK ? remote : local;
        }
    }

    private static Sandbox sandbox(Glovebox client) {
        return client.sandboxes().create(new SandboxRequest(null, null, null, null, null, null));
    }

    private static String rest(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource
    void carriesBytesBothWaysAtOnce(Over over) throws Exception {
        byte[] content = new byte[10 * 1024 * 1024];
        new Random(1).nextBytes(content);
        try (PortConnection connection = sandbox(over.client()).connect(FakePorts.ECHO)) {
            CompletableFuture<byte[]> echo = CompletableFuture.supplyAsync(() -> {
                try {
                    return connection.input().readAllBytes();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            connection.output().write(content);
            connection.shutdownOutput();
            assertThat(echo.get(30, TimeUnit.SECONDS)).isEqualTo(content);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closesEachHalfForItself(Over over) throws Exception {
        Sandbox sandbox = sandbox(over.client());
        try (PortConnection connection = sandbox.connect(FakePorts.LISTENS_FIRST)) {
            connection.output().write(new byte[1000]);
            connection.shutdownOutput();
            assertThat(rest(connection.input())).isEqualTo("heard 1000");
        }
        try (PortConnection connection = sandbox.connect(FakePorts.SPEAKS_FIRST)) {
            assertThat(rest(connection.input())).isEqualTo("first");
            // It has closed its half, and still hears.
            for (int i = 0; i < 100; i++) {
                connection.output().write(new byte[64 * 1024]);
            }
            connection.shutdownOutput();
        }
    }

    @Test
    void doesNotPassABrokenConnectionOffAsAWholeOne() throws IOException {
        try (PortConnection connection = sandbox(remote).connect(FakePorts.BREAKS)) {
            assertThatThrownBy(() -> rest(connection.input())).isInstanceOf(SocketException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersRefusalsAsProblemsAndKeepsTheConnectionForHttp(Over over) {
        Sandbox sandbox = sandbox(over.client());
        assertRefused(() -> sandbox.connect(7), 502, "port_closed", "port 7: nothing listens on this port");
        assertRefused(() -> sandbox.connect(0), 400, "invalid_argument", "port 0 is outside 1..65535");
        assertRefused(() -> sandbox.connect(65_536), 400, "invalid_argument", "from 0 to 65535");
        assertRefused(() -> sandbox.connect(FakePorts.LOST), 502, "backend_lost", "it crashed");
        sandbox.kill();
        assertRefused(() -> sandbox.connect(FakePorts.ECHO), 404, "sandbox_not_found", "no such sandbox");
    }

    private static void assertRefused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, int status, String code, String words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(ApiException.class, refusal -> {
            assertThat(refusal.problem().status()).isEqualTo(status);
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal.detail()).contains(words);
        });
    }

    private static RawHttp.Reply ask(String path, String headers) throws IOException {
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n");
            return http.reply();
        }
    }

    @Test
    void switchesOnlyForThoseWhoMayAndAskForIt() throws IOException {
        String path = "/v1/sandboxes/" + sandbox(remote).id() + "/ports/" + FakePorts.ECHO;
        String key = "X-API-KEY: " + server.tenantKey + "\r\n";
        String upgrade = "Connection: keep-alive, Upgrade\r\nUpgrade: tcp\r\n";
        assertThat(ask(path, upgrade).status()).isEqualTo(401);
        assertThat(ask(path, "X-API-KEY: " + server.otherKey + "\r\n" + upgrade).body())
                .contains("sandbox_not_found");
        assertThat(ask(path, key + "Upgrade: tcp\r\n").body()).contains("'Upgrade: tcp'");
        assertThat(ask(path, key + "Connection: Upgrade\r\nUpgrade: websocket\r\n")
                        .status())
                .isEqualTo(400);
        assertThat(ask(path, key + upgrade + "Content-Length: 1\r\n").status()).isEqualTo(400);
        assertThat(ask(path, key + upgrade).head())
                .startsWith("HTTP/1.1 101 Switching Protocols\r\n")
                .contains("Connection: Upgrade\r\n")
                .contains("Upgrade: tcp\r\n");
    }

    @Test
    void losesNothingThatIsSentBeforeTheAnswer() throws IOException {
        String path = "/v1/sandboxes/" + sandbox(remote).id() + "/ports/" + FakePorts.ECHO;
        try (RawHttp http = new RawHttp(server.port())) {
            http.send("GET " + path + " HTTP/1.1\r\nHost: x\r\nX-API-KEY: " + server.tenantKey
                    + "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nearly bird");
            assertThat(http.until("early bird")).endsWith("\r\n\r\nearly bird");
        }
    }

    @ParameterizedTest
    @EnumSource
    void forwardsFromALocalPort(Over over) throws Exception {
        BlockingQueue<RuntimeException> failures = new LinkedBlockingQueue<>();
        try (PortForward forward = sandbox(over.client()).forward(0, FakePorts.LISTENS_FIRST, failures::add)) {
            assertThat(forward.address().getAddress().isLoopbackAddress()).isTrue();
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Socket socket = new Socket(
                        forward.address().getAddress(), forward.address().getPort());
                socket.getOutputStream().write(new byte[100 + i]);
                sockets.add(socket);
            }
            for (int i = 0; i < 50; i++) {
                try (Socket socket = sockets.get(i)) {
                    socket.shutdownOutput();
                    assertThat(rest(socket.getInputStream())).isEqualTo("heard " + (100 + i));
                }
            }
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void tellsWhyAConnectionIsNotForwarded() throws Exception {
        BlockingQueue<RuntimeException> failures = new LinkedBlockingQueue<>();
        try (PortForward forward = sandbox(remote).forward(0, 7, failures::add);
                Socket socket = new Socket(
                        forward.address().getAddress(), forward.address().getPort())) {
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThat(failures.poll(20, TimeUnit.SECONDS)).isInstanceOf(ApiException.class);
        }
    }
}
