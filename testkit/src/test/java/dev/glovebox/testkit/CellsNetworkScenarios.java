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
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
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

/// What a program in a cell reaches with the HTTP client of its language, and what it does not. What is decided and why
/// is shown in module egress. Tunnels to servers of the test's own stand for what is open: nothing leaves this machine.
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CellsNetworkScenarios {
    /// A public address, of nobody's concern: nothing is ever sent to it.
    private static final String ELSEWHERE = "192.88.98.1";

    private final List<EgressEvent> events = new CopyOnWriteArrayList<>();
    private TestWeb web;
    private Egress egress;
    private SandboxBackend backend;
    private BackendBench bench;

    abstract Tier tier();

    abstract Language language();

    /// A program that asks for `METHOD URL` with a body and prints status and body, or `refused: ` and the words.
    ///
    /// @param headers `Name: value`
    abstract String ask(String method, String url, String body, String... headers);

    /// A program that prints `ready`, asks, and prints `over` when that has failed.
    abstract String hang(String url);

    /// One that prints how many bytes an answer has, and how many there are of 'x'.
    abstract String count(String url);

    @BeforeAll
    void open() throws IOException, GeneralSecurityException, InterruptedException {
        web = TestWeb.open("web.tunnel");
        egress = new Egress(new EgressOptions(
                name -> new NameResolver.Answer(
                        List.of(IpAddress.parse(name.value().startsWith("inner") ? "10.1.2.3" : ELSEWHERE)
                                .orElseThrow()),
                        60),
                SSLContext.getDefault(),
                SecretSource.NONE,
                events::add,
                Set::of,
                Clock.systemUTC(),
                1));
        backend = Cells.open((sandbox, grant) -> new TrustingNetwork(egress.openDialed(sandbox, grant), web.pem()));
        bench = new BackendBench(backend, tier(), GuestPrograms::of);
    }

    @AfterAll
    void close() {
        backend.close();
        egress.close();
        web.close();
    }

    @BeforeEach
    void forget() {
        events.clear();
    }

    NetworkGrant grant(String... allowed) {
        Tunnel plain = tunnel("plain", web.port());
        Tunnel secure = tunnel("web", web.securePort());
        Tunnel wrong = tunnel("wrong", web.wrongPort());
        return new NetworkGrant(
                new NetworkPolicy(
                        List.of(allowed).stream().map(AllowRule::parse).toList(),
                        List.of(DenyRule.parse(NetworkPolicy.ALL_TRAFFIC)),
                        List.of(),
                        Set.of(plain.name(), secure.name(), wrong.name()),
                        Optional.empty(),
                        NetworkLimits.DEFAULT),
                List.of(plain, secure, wrong));
    }

    private static Tunnel tunnel(String name, int port) {
        return new Tunnel(new TunnelName(name), "127.0.0.1", port, false, 64, 0, Duration.ofMinutes(1));
    }

    String plain(String path) {
        return "http://plain.tunnel:" + web.port() + path;
    }

    String secure(String path) {
        return "https://web.tunnel:" + web.securePort() + path;
    }

    SandboxHandle create(NetworkGrant grant) {
        return backend.create(BackendBench.withNetwork(bench.request(), grant));
    }

    String run(SandboxHandle sandbox, String code) {
        BackendBench.Ran ran = BackendBench.run(sandbox, bench.spec(language(), code));
        String said = ran.stdout() + ran.stderr();
        return said.isEmpty() ? String.valueOf(ran.result().outcome()) : said;
    }

    void awaitSlow() {
        web.awaitSlow();
    }

    void recorded(Predicate<EgressEvent> what) {
        EngineBench.await("an event among " + events, () -> events.stream().anyMatch(what));
    }

    void refused(String rule) {
        recorded(event -> event.rule().equals(rule) && event.kind().verb().endsWith("deny"));
    }

    @Test
    void aPageIsRead() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, ask("GET", plain("/hello?a=b%20c"), "", "X-One: two")))
                    .isEqualTo("200 GET /hello?a=b%20c two 0\n");
            assertThat(run(sandbox, ask("GET", plain("/missing"), ""))).isEqualTo("404 there is no /missing\n");
            recorded(event -> event.kind() == EgressEvent.Kind.CONNECTION_ENDED && event.received() > 0);
            assertThat(sandbox.networkUsage().allowed()).isEqualTo(2);
        }
    }

    @Test
    void aBodyIsSent() {
        try (SandboxHandle sandbox = create(grant())) {
            String body = "b\u00f6dy ".repeat(30_000);
            assertThat(run(sandbox, ask("POST", plain("/hello"), body, "X-One: ja")))
                    .isEqualTo("200 POST /hello ja 180000\n");
        }
    }

    @Test
    void tlsIsSpokenWithWhomTheSandboxTrusts() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, ask("GET", secure("/hello"), ""))).isEqualTo("200 GET /hello - 0\n");
            String wrong = "https://wrong.tunnel:" + web.wrongPort() + "/hello";
            assertThat(run(sandbox, ask("GET", wrong, "")))
                    .startsWith("refused: ")
                    .contains("TLS: ", "wrong.tunnel");
        }
    }

    @Test
    void muchIsReadWhole() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, count(plain("/big")))).isEqualTo("5000000 5000000\n");
            assertThat(run(sandbox, count(plain("/chunked")))).isEqualTo("300000 300000\n");
            assertThat(run(sandbox, count(secure("/big")))).isEqualTo("5000000 5000000\n");
        }
    }

    @Test
    void redirectsAreFollowedAndDecidedAnew() {
        try (SandboxHandle sandbox = create(grant())) {
            assertThat(run(sandbox, ask("GET", plain("/redirect?/hello"), ""))).isEqualTo("200 GET /hello - 0\n");
            assertThat(run(sandbox, ask("GET", plain("/redirect?http://169.254.169.254/latest/meta-data/"), "")))
                    .startsWith("refused: ")
                    .contains("always.metadata");
            refused("always.metadata");
            assertThat(run(sandbox, ask("GET", plain("/redirect?http://127.0.0.1:" + web.port() + "/hello"), "")))
                    .startsWith("refused: ")
                    .contains("always.loopback");
        }
    }

    @Test
    void nothingElseIsReached() {
        try (SandboxHandle sandbox = create(grant("open.example", "inner.example", "1.2.3.4:80"))) {
            record Case(String url, String rule) {}
            List<Case> cases = new ArrayList<>(List.of(
                    new Case("http://closed.example/", "dns.closed"),
                    new Case("http://other.tunnel/", "dns.tunnel"),
                    new Case("http://10.0.0.1/", "always.private"),
                    new Case("http://[::ffff:10.0.0.1]/", "always.mapped"),
                    new Case("http://127.0.0.1:" + web.port() + "/", "always.loopback"),
                    new Case("http://2130706433/", "always.loopback"),
                    new Case("http://" + ELSEWHERE + ":8080/", "deny_out ALL_TRAFFIC"),
                    new Case("https://1.2.3.4/", "name.missing"),
                    new Case("http://inner.example/", "dns.special"),
                    new Case("http://open.example:8080/", "deny_out ALL_TRAFFIC"),
                    new Case("http://plain.tunnel:9/", "tunnel.port")));
            for (Case one : cases) {
                String said = run(sandbox, ask("GET", one.url, ""));
                assertThat(said).as(one.url).startsWith("refused: ");
                if (!one.url.contains("2130706433")) {
                    assertThat(said).as(one.url).contains("rule " + one.rule);
                }
            }
            assertThat(sandbox.networkUsage().allowed()).isZero();
        }
    }

    @Test
    void aClosedNetworkSaysSo() {
        try (SandboxHandle sandbox = create(NetworkGrant.CLOSED)) {
            assertThat(run(sandbox, ask("GET", plain("/hello"), ""))).startsWith("refused: ");
            assertThat(events).isEmpty();
        }
    }

    @Test
    void otherRulesHoldAtOnce() {
        try (SandboxHandle sandbox = create(NetworkGrant.CLOSED)) {
            String program = ask("GET", plain("/hello"), "");
            assertThat(run(sandbox, program)).startsWith("refused: ");
            sandbox.replaceNetwork(grant());
            assertThat(run(sandbox, program)).isEqualTo("200 GET /hello - 0\n");
            Recording recording = new Recording();
            CompletableFuture<?> running = BackendBench.beside(() ->
                    sandbox.start(BackendBench.nextProcess(), bench.spec(language(), hang(plain("/slow"))), recording));
            web.awaitSlow();
            long began = System.nanoTime();
            sandbox.replaceNetwork(NetworkGrant.CLOSED);
            BackendBench.await(running);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
            assertThat(recording.stdout()).isEqualTo("ready\nover\n");
            recorded(event -> event.rule().equals("policy.replaced"));
            assertThat(run(sandbox, program)).startsWith("refused: ");
            sandbox.replaceNetwork(grant());
            assertThat(run(sandbox, program)).isEqualTo("200 GET /hello - 0\n");
        }
    }

    @Test
    void whoWaitsCanBeEnded() {
        try (SandboxHandle sandbox = create(grant())) {
            Recording recording = new Recording();
            var process = BackendBench.nextProcess();
            CompletableFuture<?> running = BackendBench.beside(
                    () -> sandbox.start(process, bench.spec(language(), hang(plain("/slow"))), recording));
            web.awaitSlow();
            sandbox.signal(process, 9);
            BackendBench.await(running);
            EngineBench.await("no connection", () -> sandbox.networkUsage().open() == 0);
            assertThat(run(sandbox, ask("GET", plain("/hello"), ""))).isEqualTo("200 GET /hello - 0\n");
        }
    }

    @Test
    void aSandboxThatEndsTakesItsConnectionsAlong() {
        SandboxHandle sandbox = create(grant());
        Recording recording = new Recording();
        CompletableFuture<?> running = BackendBench.beside(() ->
                sandbox.start(BackendBench.nextProcess(), bench.spec(language(), hang(plain("/slow"))), recording));
        web.awaitSlow();
        sandbox.close();
        BackendBench.await(running);
        recorded(event -> event.kind() == EgressEvent.Kind.CONNECTION_ENDED);
    }
}
