package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.DenyRule;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkLimits;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.SecretSource;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.egress.Egress;
import dev.glovebox.egress.EgressOptions;
import dev.glovebox.egress.NameResolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What a program in a Linux sandbox reaches, and what it does not, through its real network. What is decided and why
/// is
/// shown in module egress; this shows that nothing gets past it. A tunnel to a server of the test's own stands for what
/// is open: nothing leaves this machine.
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LinuxNetworkSuite {
    /// A public address, of nobody's concern: nothing is ever sent to it.
    private static final String ELSEWHERE = "192.88.98.1";

    private static final Tunnel NONE =
            new Tunnel(new TunnelName("none"), "127.0.0.1", 9, false, 1, 0, Duration.ofMinutes(1));

    private final List<EgressEvent> events = new CopyOnWriteArrayList<>();
    private Egress egress;
    private ServerSocket server;
    private SandboxBackend backend;
    private BackendBench bench;

    abstract Tier tier();

    @BeforeAll
    void open() throws IOException, NoSuchAlgorithmException {
        server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
        egress = new Egress(new EgressOptions(
                name -> new NameResolver.Answer(
                        List.of(IpAddress.parse(ELSEWHERE).orElseThrow()), 60),
                SSLContext.getDefault(),
                SecretSource.NONE,
                events::add,
                Set::of,
                Clock.systemUTC(),
                1));
        backend = Linux.open(egress);
        bench = new BackendBench(backend, tier(), GuestPrograms::of);
    }

    @AfterAll
    void close() throws IOException {
        backend.close();
        egress.close();
        server.close();
    }

    @BeforeEach
    void forget() {
        events.clear();
    }

    /// Says the same back in capitals, line by line.
    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket accepted = server.accept();
                Thread.ofVirtual().start(() -> answer(accepted));
            } catch (IOException _) {
                return;
            }
        }
    }

    private static void answer(Socket accepted) {
        try (accepted) {
            byte[] bytes = new byte[1 << 16];
            for (int count = accepted.getInputStream().read(bytes); count > 0; ) {
                String text =
                        new String(bytes, 0, count, StandardCharsets.ISO_8859_1).toUpperCase(java.util.Locale.ROOT);
                accepted.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
                count = accepted.getInputStream().read(bytes);
            }
        } catch (IOException _) {
            // The guest has gone.
        }
    }

    private NetworkGrant tunnel() {
        Tunnel echo = new Tunnel(
                new TunnelName("echo"), "127.0.0.1", server.getLocalPort(), false, 8, 0, Duration.ofMinutes(1));
        return new NetworkGrant(policy(List.of(), Set.of(echo.name())), List.of(echo, NONE));
    }

    private static NetworkPolicy policy(List<String> allowed, Set<TunnelName> tunnels) {
        return new NetworkPolicy(
                allowed.stream().map(AllowRule::parse).toList(),
                List.of(DenyRule.parse(NetworkPolicy.ALL_TRAFFIC)),
                List.of(),
                tunnels,
                Optional.empty(),
                NetworkLimits.DEFAULT);
    }

    private SandboxHandle create(NetworkGrant grant) {
        return backend.create(BackendBench.withNetwork(bench.request(), grant));
    }

    private String run(SandboxHandle sandbox, String code) {
        BackendBench.Ran ran = BackendBench.run(sandbox, bench.spec(Language.PYTHON, """
                import socket
                def attempt(what):
                    try:
                        print(what())
                    except OSError as error:
                        print(type(error).__name__)
                def connect(host, port, text=b"hello", family=socket.AF_INET):
                    with socket.socket(family) as s:
                        s.settimeout(10)
                        s.connect((host, port))
                        s.sendall(text)
                        return s.recv(100)
                """ + code));
        return ran.stdout() + ran.stderr();
    }

    private void recorded(Predicate<EgressEvent> what) {
        EngineBench.await("an event among " + events, () -> events.stream().anyMatch(what));
    }

    private void refused(String rule) {
        recorded(event -> event.rule().equals(rule) && event.kind().verb().endsWith("deny"));
    }

    @Test
    void aTunnelIsReachedByItsName() {
        try (SandboxHandle sandbox = create(tunnel())) {
            String program = "attempt(lambda: connect('echo.tunnel', " + server.getLocalPort() + "))";
            assertThat(run(sandbox, program)).isEqualTo("b'HELLO'\n");
            recorded(event -> event.kind() == EgressEvent.Kind.CONNECTION_ENDED && event.sent() == 5);
            assertThat(sandbox.networkUsage().allowed()).isOne();
            assertThat(sandbox.networkUsage().received()).isEqualTo(5);
        }
    }

    @Test
    void muchIsCarriedWhole() {
        try (SandboxHandle sandbox = create(tunnel())) {
            assertThat(run(sandbox, """
                    import threading
                    s = socket.create_connection(('echo.tunnel', %d))
                    data = bytes(range(97, 123)) * 400000
                    threading.Thread(target=lambda: (s.sendall(data), s.shutdown(socket.SHUT_WR))).start()
                    back = bytearray()
                    while part := s.recv(1 << 20):
                        back += part
                    print(back == data.upper())
                    """.formatted(server.getLocalPort()))).isEqualTo("True\n");
        }
    }

    @Test
    void nothingElseIsReached() {
        try (SandboxHandle sandbox = create(tunnel())) {
            String refusals =
                    run(sandbox, """
                    for host, port in (("%s", 8080), ("127.0.0.1", %d), ("10.0.0.1", 22), ("169.254.169.254", 80),
                                       ("240.0.0.1", 7), ("10.254.254.1", 8080), ("10.254.254.1", %d)):
                        attempt(lambda: connect(host, port) or "closed")
                    attempt(lambda: connect("::ffff:%s", 8080, family=socket.AF_INET6) or "closed")
                    attempt(lambda: connect("2600::1", 80, family=socket.AF_INET6))
                    """.formatted(ELSEWHERE, server.getLocalPort(), server.getLocalPort(), ELSEWHERE));
            assertThat(refusals.lines())
                    .hasSize(9)
                    .allMatch(line -> line.matches("ConnectionRe(set|fused)Error|OSError|closed|b'HTTP.*|TimeoutError"))
                    .doesNotContain("TimeoutError");
            refused("deny_out ALL_TRAFFIC");
            refused("always.private");
            refused("always.metadata");
            assertThat(sandbox.networkUsage().allowed()).isZero();
        }
    }

    @Test
    void onlyOpenNamesExist() {
        try (SandboxHandle sandbox = create(new NetworkGrant(policy(List.of("open.example"), Set.of()), List.of()))) {
            assertThat(run(sandbox, """
                    attempt(lambda: socket.gethostbyname("open.example"))
                    attempt(lambda: socket.gethostbyname("closed.example"))
                    attempt(lambda: socket.gethostbyname("echo.tunnel"))
                    """)).isEqualTo(ELSEWHERE + "\ngaierror\ngaierror\n");
            refused("dns.closed");
        }
    }

    @Test
    void datagramsGoNowhere() {
        try (SandboxHandle sandbox = create(tunnel())) {
            String said = run(sandbox, """
                    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                        s.settimeout(1)
                        s.connect(("%s", 443))
                        s.send(b"quic")
                        attempt(lambda: s.recv(10))
                    attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
                    attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
                    """.formatted(ELSEWHERE));
            assertThat(said.lines()).hasSize(3).allMatch(line -> line.endsWith("Error"));
            refused("udp.quic");
        }
    }

    @Test
    void otherRulesHoldAtOnce() {
        try (SandboxHandle sandbox = create(NetworkGrant.CLOSED)) {
            String program = "attempt(lambda: connect('echo.tunnel', " + server.getLocalPort() + "))";
            assertThat(run(sandbox, program)).isEqualTo("gaierror\n");
            sandbox.replaceNetwork(tunnel());
            assertThat(run(sandbox, program)).isEqualTo("b'HELLO'\n");
            Recording recording = new Recording();
            CompletableFuture<?> running = BackendBench.beside(() -> sandbox.start(
                    BackendBench.nextProcess(),
                    bench.spec(Language.PYTHON, """
                            import socket
                            s = socket.create_connection(('echo.tunnel', %d))
                            print("ready", flush=True)
                            try:
                                print(s.recv(10))
                            except OSError as error:
                                print(type(error).__name__)
                            """.formatted(server.getLocalPort())),
                    recording));
            recording.awaitStdout("ready");
            // A connection stands for the guest before it is decided.
            EngineBench.await("the decision", () -> sandbox.networkUsage().open() == 1);
            sandbox.replaceNetwork(NetworkGrant.CLOSED);
            BackendBench.await(running);
            assertThat(recording.stdout()).isIn("ready\nb''\n", "ready\nConnectionResetError\n");
            recorded(event -> event.rule().equals("policy.replaced"));
            assertThat(run(sandbox, program)).isEqualTo("gaierror\n");
        }
    }

    @Test
    void aServerInsideIsReachedFromInside() {
        try (SandboxHandle sandbox = create(NetworkGrant.CLOSED)) {
            assertThat(run(sandbox, """
                    server = socket.create_server(("0.0.0.0", 8000))
                    client = socket.create_connection(("127.0.0.1", 8000))
                    other, _ = server.accept()
                    client.sendall(b"inside")
                    print(other.recv(10))
                    """)).isEqualTo("b'inside'\n");
            assertThat(events).isEmpty();
        }
    }
}
