package dev.glovebox.server;

import dev.glovebox.backends.CellBackend;
import dev.glovebox.backends.CellOptions;
import dev.glovebox.backends.LinuxBackend;
import dev.glovebox.backends.LinuxOptions;
import dev.glovebox.backends.Supervision;
import dev.glovebox.backends.template.TemplateStore;
import dev.glovebox.core.Command;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.egress.OpenFiles;
import dev.glovebox.engine.BoundSecrets;
import dev.glovebox.engine.EgressAudit;
import dev.glovebox.engine.Engine;
import dev.glovebox.engine.Keys;
import dev.glovebox.engine.Policies;
import dev.glovebox.engine.SandboxOwners;
import dev.glovebox.server.api.Api;
import dev.glovebox.server.api.ApiServices;
import dev.glovebox.server.auth.Authenticator;
import dev.glovebox.server.auth.KeyAuthenticator;
import dev.glovebox.server.e2b.E2bSandboxes;
import dev.glovebox.server.e2b.HeldBodies;
import dev.glovebox.server.e2b.SandboxTokens;
import dev.glovebox.server.e2b.control.BuiltTemplate;
import dev.glovebox.server.e2b.control.Control;
import dev.glovebox.server.e2b.control.ControlServices;
import dev.glovebox.server.e2b.control.UsageSampler;
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
import dev.glovebox.store.AuditKey;
import dev.glovebox.store.FileAuditLog;
import dev.glovebox.store.SecretKey;
import dev.glovebox.store.SqliteStore;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/// The wiring of the server: every piece is made here, in the order in which they stand on each other, and
/// ended in the reverse order.
public final class Main {
    private Main() {}

    /// How `glovebox serve` was called.
    ///
    /// @param listen host and port
    /// @param metricsOpen whether metrics are shown without a key
    /// @param jailAllowed whether every tenant may name the tier `jail`, which shares the host's kernel
    /// @param names under which the server is reached
    /// @param tls empty to speak no TLS
    public record Options(
            Path home, String listen, boolean metricsOpen, boolean jailAllowed, Names names, Optional<Tls> tls) {}

    /// Under which names the server is reached.
    ///
    /// @param domains domains whose names below them, `{port}-{sandbox}`, are ports of sandboxes; empty for
    ///     `glovebox.localhost`
    /// @param sharedHosts hosts where headers say which sandbox is meant
    public record Names(List<String> domains, List<String> sharedHosts) {
        public Names {
            domains = domains.isEmpty() ? List.of(TrustTool.DOMAIN) : List.copyOf(domains);
            sharedHosts = List.copyOf(sharedHosts);
        }
    }

    /// How TLS is spoken.
    ///
    /// @param listen host and port
    /// @param files certificate and key; empty for those of the local authority
    public record Tls(String listen, Optional<CertificateFiles> files) {}

    /// A certificate, with those that vouch for it, and its key, in PEM.
    public record CertificateFiles(Path certificate, Path key) {}

    /// Runs the service until the process is told to end. Prints its address and, at the very first start, a
    /// key.
    public static void serve(Options options) {
        JsonLog.show();
        try {
            Lifetime.untilTold(start(options, System.out));
        } catch (GloveboxException e) {
            // What the server stands on cannot be used: in words, for whoever started it.
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    static Running start(Options options, PrintStream out) {
        ListenAddress listen = ListenAddress.of(options.listen());
        HomeDirectory home = HomeDirectory.make(options.home());
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        HomeLock lock = HomeLock.take(home);
        opened.push(lock);
        try {
            return start(options, listen, home, opened, out).andAtLast(lock);
        } catch (RuntimeException e) {
            opened.forEach(Lifetime::closeQuietly);
            throw e;
        }
    }

    /// Starts with the right to the home.
    ///
    /// @param opened what a start that fails has to end, the last first
    private static Running start(
            Options options, ListenAddress listen, HomeDirectory home, Deque<AutoCloseable> opened, PrintStream out) {
        Clock clock = Clock.systemUTC();
        SecureRandom random = new SecureRandom();
        AtomicBoolean takesWork = new AtomicBoolean(true);
        Metrics metrics = new Metrics();

        FileAuditLog audit = FileAuditLog.open(home.audit(), new AuditKey(home.path()), clock);
        opened.push(audit);
        SqliteStore store = SqliteStore.open(home.database(), clock);
        opened.push(store);
        Supervision supervision = new Supervision(HomeDirectory.distribution(), home.run());
        opened.push(supervision);
        Engine.Network networks = new Engine.Network(
                new SandboxOwners(), store.tunnels(), store.secrets(SecretKey.open(home.secretKey(), random)));
        EgressAudit egressAudit = new EgressAudit(audit, networks.owners(), clock, metrics::egressRecordsDropped);
        opened.push(egressAudit);
        OutboundNetwork outbound = new OutboundNetwork(
                new BoundSecrets(networks.secrets(), networks.owners()), metrics.before(egressAudit), clock);
        opened.push(outbound);
        List<SandboxBackend> backends = backends(home, supervision, outbound);
        Policies policies = options.jailAllowed() ? Policies.local() : Policies.standard();
        Engine engine = new Engine(
                new Engine.Options(backends, store, store, networks, audit, policies, metrics, clock, random));
        opened.push(engine);
        engine.reclaim();
        metrics.watchSandboxes(engine::sandboxesRunning);

        Api api = new Api(new ApiServices(
                engine, () -> Doctor.probe(backends), metrics::text, options.metricsOpen(), takesWork::get));
        Authenticator authenticator = new KeyAuthenticator(new Keys(store, random, clock));
        E2bSandboxes e2bSandboxes = new E2bSandboxes(engine, engine::ownerOf);
        SandboxTokens tokens = SandboxTokens.open(home.tokenKey(), random);
        TrafficHosts hosts =
                TrafficHosts.of(options.names().domains(), options.names().sharedHosts());
        Control control = new Control(new ControlServices(
                engine,
                authenticator,
                e2bSandboxes,
                tokens,
                hosts,
                policies,
                backends.stream().flatMap(backend -> backend.tiers().stream()).collect(Collectors.toSet()),
                () -> templates(home),
                clock,
                takesWork::get));
        UsageSampler sampler = new UsageSampler(engine, e2bSandboxes, clock);
        opened.push(sampler);
        // One for all listeners: what one client began over TLS, another finds without.
        Map<Integer, SandboxPort> ownPorts = ownPorts(engine, tokens, clock);
        HttpServer.Front front = (routing, sockets) -> {
            SandboxPort proxy = new PortProxy(engine, e2bSandboxes, sockets);
            routing.addFilter(new Traffic(hosts, e2bSandboxes, tokens, ownPorts, proxy));
            control.addTo(routing);
        };
        HttpServer http = HttpServer.start(
                api,
                authenticator,
                new HttpServer.Addresses(
                        listen.toSocketAddress(),
                        home.socket(),
                        options.tls().map(tls -> secure(tls, home, hosts, clock, random))),
                front,
                (int) Math.min(Limits.SERVER_CONNECTIONS_MAX, OpenFiles.max() / 6));

        listen.announce(http.port(), home.socket(), out);
        options.tls().ifPresent(tls -> announce(tls, http.securePort(), hosts, out));
        if (store.list().isEmpty()) {
            out.println("API key (told this once): " + firstKey(engine));
        }
        return new Running(
                http.port(),
                takesWork,
                List.of(sampler, engine, outbound, egressAudit, supervision, http, store, audit));
    }

    private static void announce(Tls tls, int port, TrafficHosts hosts, PrintStream out) {
        out.println("TLS on port " + port + " for "
                + String.join(", ", hosts.domains().stream().sorted().toList())
                + (tls.files().isEmpty() ? "; 'glovebox trust' says how clients come to trust it" : ""));
    }

    private static String firstKey(Engine engine) {
        return engine.execute(
                        Authenticator.LOCAL,
                        new Command.CreateKey(TenantId.DEFAULT, Principal.Role.ADMIN, "made at the first start"))
                .secret();
    }

    private static List<SandboxBackend> backends(
            HomeDirectory home, Supervision supervision, OutboundNetwork outbound) {
        Path distribution = HomeDirectory.distribution();
        return List.of(
                CellBackend.open(CellOptions.forServer(HomeDirectory.java(), distribution, home.run(), supervision)
                        .withNetworks(outbound)),
                LinuxBackend.open(LinuxOptions.forServer(supervision, distribution, home.templates())
                        .withPorts(outbound)));
    }

    private static HttpServer.Addresses.Tls secure(
            Tls tls, HomeDirectory home, TrafficHosts hosts, Clock clock, SecureRandom random) {
        SSLContext context = tls.files()
                .map(files -> ServerTls.ofFiles(files.certificate(), files.key(), clock, random))
                .orElseGet(() -> ServerTls.local(
                        LocalAuthority.open(home.tls(), hosts.domains(), clock, random), clock, random));
        return new HttpServer.Addresses.Tls(ListenAddress.of(tls.listen()).toSocketAddress(), context);
    }

    private static List<BuiltTemplate> templates(HomeDirectory home) {
        return new TemplateStore(home.templates())
                .list().stream().map(Main::template).toList();
    }

    private static BuiltTemplate template(TemplateStore.Entry entry) {
        return new BuiltTemplate(
                entry.name().value(),
                entry.metadata().digest(),
                entry.metadata().created());
    }

    /// The ports of sandboxes that this server answers itself.
    private static Map<Integer, SandboxPort> ownPorts(Engine engine, SandboxTokens tokens, Clock clock) {
        Predicate<SandboxId> isRunning = id -> engine.ownerOf(id).isPresent();
        HeldBodies bodies = new HeldBodies();
        return Map.of(
                SandboxPort.ENVD, new EnvdPort(new EnvdServices(engine, tokens, clock, isRunning, bodies)),
                SandboxPort.INTERPRETER,
                        new InterpreterPort(new InterpreterServices(engine, clock, isRunning, bodies)));
    }

    /// A server that runs. Closing it refuses new work, ends all sandboxes, then everything else.
    ///
    /// @param parts in the order in which they end
    record Running(int port, AtomicBoolean takesWork, List<AutoCloseable> parts) implements AutoCloseable {
        private Running andAtLast(AutoCloseable part) {
            List<AutoCloseable> all = new ArrayList<>(parts);
            all.add(part);
            return new Running(port, takesWork, all);
        }

        @Override
        public void close() {
            takesWork.set(false);
            parts.forEach(Lifetime::closeQuietly);
        }
    }
}
