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
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// TLS with the local authority, as clients see it: names, protocols, and what it is not good for.
@Timeout(60)
final class TlsIT {
    private static TestServer server;
    private static SSLContext trusting;
    private static SandboxId id;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(server.authority())) {
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        trusting = SSLContext.getInstance("TLS");
        trusting.init(null, managers.getTrustManagers(), null);
        SandboxSpec spec = new SandboxSpec(
                Optional.of(Tier.GVISOR),
                Language.PYTHON,
                Duration.ofMinutes(5),
                ResourceLimits.DEFAULT,
                Map.of(),
                new SandboxFacts(Optional.of("base"), true, true, Optional.empty()).into(Map.of()));
        id = server.gate
                .execute(
                        new Principal(TenantId.DEFAULT, "test", Principal.Role.TENANT), new Command.CreateSandbox(spec))
                .id();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /// Names lead to this machine as they would in a browser; what they are checked against is the certificate.
    private static SSLSocket connect(String name, String... protocols) throws IOException {
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.securePort());
        plain.setSoTimeout(20_000);
        SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket(plain, name, server.securePort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setServerNames(List.of(new SNIHostName(name)));
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static String ask(SSLSocket socket, String request, String until) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(request.getBytes(StandardCharsets.US_ASCII));
        out.flush();
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf(until) < 0) {
            int b = socket.getInputStream().read();
            if (b < 0) {
                break;
            }
            answer.append((char) b);
        }
        return answer.toString();
    }

    private static String get(String host, String path, String headers) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n";
    }

    @Test
    void vouchesForTheDomainAndTheNamesBelowIt() throws IOException {
        for (String name : List.of("box.test", "api.box.test", "8000-" + id + ".box.test")) {
            try (SSLSocket socket = connect(name)) {
                assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
            }
        }
    }

    @Test
    void vouchesForNothingElse() {
        for (String name : List.of("bank.test", "a.b.box.test", "xbox.test")) {
            assertThatThrownBy(() -> connect(name).close()).as(name).isInstanceOf(SSLHandshakeException.class);
        }
    }

    @Test
    void speaksTheProtocolThatTheClientLikes() throws IOException {
        try (SSLSocket socket = connect("api.box.test", "h2", "http/1.1")) {
            assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
        }
        try (SSLSocket socket = connect("api.box.test", "http/1.1")) {
            assertThat(socket.getApplicationProtocol()).isEqualTo("http/1.1");
            assertThat(ask(socket, get("api.box.test", "/healthz", ""), "ok")).startsWith("HTTP/1.1 200 OK");
        }
        try (SSLSocket socket = connect("api.box.test")) {
            assertThat(ask(socket, get("api.box.test", "/healthz", ""), "ok")).startsWith("HTTP/1.1 200 OK");
        }
    }

    @Test
    void reachesPortsByTheirNames() throws IOException {
        String host = "1006-" + id + ".box.test";
        try (SSLSocket socket = connect(host, "http/1.1")) {
            assertThat(ask(socket, get(host, "/echo", ""), "X-Forwarded-Proto: https\r\n"))
                    .startsWith("HTTP/1.1 200 OK")
                    .endsWith("X-Forwarded-Proto: https\r\n");
        }
    }

    @Test
    void carriesWebSockets() throws IOException {
        String host = "1006-" + id + ".box.test";
        try (SSLSocket socket = connect(host, "http/1.1")) {
            assertThat(ask(socket, get(host, "/switch", "Connection: Upgrade\r\nUpgrade: websocket\r\n"), "hello "))
                    .startsWith("HTTP/1.1 101 Switching Protocols\r\n");
            assertThat(ask(socket, "one", "one")).isEqualTo("one");
            assertThat(ask(socket, "two", "two")).isEqualTo("two");
        }
    }

    @Test
    void saysHowElseToReachAPortOfTheNativeApi() throws IOException {
        try (SSLSocket socket = connect("api.box.test", "http/1.1")) {
            assertThat(ask(
                            socket,
                            get(
                                    "api.box.test",
                                    "/v1/sandboxes/" + id + "/ports/1001",
                                    "X-API-KEY: " + server.tenantKey + "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"),
                            "plain port"))
                    .startsWith("HTTP/1.1 400");
        }
    }
}
