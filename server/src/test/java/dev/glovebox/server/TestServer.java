package dev.glovebox.server;

import dev.glovebox.core.Command;
import dev.glovebox.core.Principal;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.engine.Keys;
import dev.glovebox.engine.Policies;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.server.api.AcceptedSockets;
import dev.glovebox.server.api.Api;
import dev.glovebox.server.api.ApiServices;
import dev.glovebox.server.auth.KeyAuthenticator;
import dev.glovebox.server.e2b.E2bSandboxes;
import dev.glovebox.server.e2b.HeldBodies;
import dev.glovebox.server.e2b.SandboxTokens;
import dev.glovebox.server.e2b.control.BuiltTemplate;
import dev.glovebox.server.e2b.control.Control;
import dev.glovebox.server.e2b.control.ControlServices;
import dev.glovebox.server.e2b.envd.EnvdPort;
import dev.glovebox.server.e2b.envd.EnvdServices;
import dev.glovebox.server.e2b.interpreter.InterpreterPort;
import dev.glovebox.server.e2b.interpreter.InterpreterServices;
import dev.glovebox.server.e2b.traffic.PortProxy;
import dev.glovebox.server.e2b.traffic.SandboxPort;
import dev.glovebox.server.e2b.traffic.Traffic;
import dev.glovebox.server.e2b.traffic.TrafficHosts;
import dev.glovebox.server.tls.LocalAuthority;
import dev.glovebox.server.tls.ServerTls;
import io.helidon.webserver.http.HttpRouting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/// A real HTTP server over a [FakeGate], on a free port and a socket in a directory of its own.
final class TestServer implements AutoCloseable {
    final FakeGate gate = new FakeGate();
    final AtomicBoolean takesWork = new AtomicBoolean(true);
    final String adminKey;
    final String tenantKey;
    final String otherKey;
    final Path directory;
    final Path socket;

    final SandboxTokens tokens = new SandboxTokens(new byte[32]);
    private final Metrics metrics = new Metrics();
    private final Function<TestServer, Map<Integer, SandboxPort>> ports;
    private final HttpServer http;

    /// Whose ports 49983 and 49999 only say which was called for.
    TestServer() {
        this(_ -> {
            SandboxPort echo = (target, request, response) -> response.send(
                    target.id() + " " + target.port() + " " + request.path().path());
            return Map.of(SandboxPort.ENVD, echo, SandboxPort.INTERPRETER, echo, 8000, echo);
        });
    }

    /// As the product: E2B's clients are served on their ports.
    static TestServer forE2b() {
        return new TestServer(server -> Map.of(
                SandboxPort.ENVD,
                        new EnvdPort(new EnvdServices(
                                server.gate, server.tokens, server.gate.clock, server::isRunning, new HeldBodies())),
                SandboxPort.INTERPRETER,
                        new InterpreterPort(new InterpreterServices(
                                server.gate, server.gate.clock, server::isRunning, new HeldBodies()))));
    }

    private TestServer(Function<TestServer, Map<Integer, SandboxPort>> ports) {
        this.ports = ports;
        try {
            directory = Files.createTempDirectory("glovebox-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        socket = directory.resolve("run/api.sock");
        adminKey = key(TenantId.DEFAULT, Principal.Role.ADMIN);
        tenantKey = key(TenantId.DEFAULT, Principal.Role.TENANT);
        otherKey = key(new TenantId("other"), Principal.Role.TENANT);
        metrics.watchSandboxes(() -> 7);
        ApiServices services = new ApiServices(
                gate,
                () -> List.of(new TierStatus(Tier.WASM, true, "it works", "")),
                metrics::text,
                false,
                takesWork::get);
        http = HttpServer.start(
                new Api(services),
                new KeyAuthenticator(new Keys(gate.keys, new SecureRandom(), Clock.systemUTC())),
                new HttpServer.Addresses(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        socket,
                        Optional.of(new HttpServer.Addresses.Tls(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), tls()))),
                this::addE2b,
                1000);
    }

    private SSLContext tls() {
        Clock clock = Clock.systemUTC();
        SecureRandom random = new SecureRandom();
        return ServerTls.local(
                LocalAuthority.open(directory.resolve("tls"), Set.of("box.test"), clock, random), clock, random);
    }

    /// Where clients find the certificate to trust.
    Path authority() {
        return LocalAuthority.certificateFile(directory.resolve("tls"));
    }

    int securePort() {
        return http.securePort();
    }

    private void addE2b(HttpRouting.Builder routing, AcceptedSockets sockets) {
        E2bSandboxes sandboxes = new E2bSandboxes(gate, gate::ownerOf);
        TrafficHosts hosts = TrafficHosts.of(List.of("box.test:8443"), List.of("shared.test"));
        SandboxPort proxy = new PortProxy(gate, sandboxes, sockets);
        routing.addFilter(new Traffic(hosts, sandboxes, tokens, ports.apply(this), proxy));
        new Control(new ControlServices(
                        gate,
                        new KeyAuthenticator(new Keys(gate.keys, new SecureRandom(), Clock.systemUTC())),
                        sandboxes,
                        tokens,
                        hosts,
                        Policies.standard(),
                        Set.of(Tier.WASM, Tier.ISOLATE, Tier.GVISOR, Tier.JAIL),
                        () -> Stream.of("base", "code", "mine")
                                .map(name -> new BuiltTemplate(name, "0", Instant.EPOCH))
                                .toList(),
                        gate.clock,
                        takesWork::get))
                .addTo(routing);
    }

    private String key(TenantId tenant, Principal.Role role) {
        return gate.keys.create(new Command.CreateKey(tenant, role, "test")).secret();
    }

    private boolean isRunning(SandboxId id) {
        return gate.ownerOf(id).isPresent();
    }

    int port() {
        return http.port();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    Glovebox client(String key) {
        return Glovebox.connect(uri(""), key);
    }

    @Override
    public void close() {
        http.close();
        try (Stream<Path> left = Files.walk(directory)) {
            left.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
