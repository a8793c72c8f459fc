package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Command;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.Tier;
import dev.glovebox.engine.Engine;
import dev.glovebox.engine.EngineObserver;
import dev.glovebox.engine.Policies;
import dev.glovebox.server.HttpServer;
import dev.glovebox.server.api.Api;
import dev.glovebox.server.api.ApiServices;
import dev.glovebox.server.e2b.E2bSandboxes;
import dev.glovebox.server.e2b.SandboxFacts;
import dev.glovebox.server.e2b.SandboxTokens;
import dev.glovebox.server.e2b.traffic.PortProxy;
import dev.glovebox.server.e2b.traffic.Traffic;
import dev.glovebox.server.e2b.traffic.TrafficHosts;
import dev.glovebox.store.MemoryStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Requests to servers inside real sandboxes: pages, events as they happen, WebSockets, many at once, and the end.
@Timeout(120)
class SandboxTrafficIT {
    private static final int PORT = 8000;

    /// A server that knows a page, events half a second apart, an echo of what is posted, and WebSockets.
    private static final String PROGRAM = """
            import base64, hashlib, http.server, sys, threading, time

            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = 'HTTP/1.1'

                def log_message(self, *args):
                    pass

                def reply(self, body):
                    self.send_response(200)
                    self.send_header('Content-Length', str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

                def do_POST(self):
                    self.reply(self.rfile.read(int(self.headers['Content-Length'])))

                def do_GET(self):
                    if self.headers.get('Upgrade', '').lower() == 'websocket':
                        self.websocket()
                    elif self.path == '/events':
                        self.events()
                    else:
                        self.reply(self.path.encode() + b' ' + str(self.headers).encode())

                def events(self):
                    self.send_response(200)
                    self.send_header('Content-Type', 'text/event-stream')
                    self.send_header('Transfer-Encoding', 'chunked')
                    self.end_headers()
                    for i in range(3):
                        self.wfile.write(b'9\\r\\ndata: %d\\n\\n\\r\\n' % i)
                        self.wfile.flush()
                        time.sleep(0.5)
                    self.wfile.write(b'0\\r\\n\\r\\n')

                def websocket(self):
                    key = self.headers['Sec-WebSocket-Key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
                    self.send_response(101)
                    self.send_header('Upgrade', 'websocket')
                    self.send_header('Connection', 'Upgrade')
                    accept = base64.b64encode(hashlib.sha1(key.encode()).digest())
                    self.send_header('Sec-WebSocket-Accept', accept.decode())
                    self.end_headers()
                    self.close_connection = True
                    while True:
                        head = self.rfile.read(2)
                        if len(head) < 2:
                            return
                        mask = self.rfile.read(4)
                        data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(head[1] & 127)))
                        self.wfile.write(bytes([head[0], len(data)]) + data)
                        self.wfile.flush()
                        if head[0] & 15 == 8:
                            return

            threading.stack_size(256 * 1024)
            http.server.ThreadingHTTPServer.request_queue_size = 256
            time.sleep(float(sys.argv[1]))
            http.server.ThreadingHTTPServer(('127.0.0.1', 8000), Handler).serve_forever()
            """;

    @TempDir
    private static Path directory;

    private static Engine engine;
    private static HttpServer server;
    private static final SandboxTokens TOKENS = new SandboxTokens(new byte[32]);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /// The tiers that have ports, and how many requests the server inside takes at once: one thread each, of which
    /// gVisor
    /// gives a user 128.
    enum On {
        JAIL(Tier.JAIL, 200),
        GVISOR(Tier.GVISOR, 100);

        private final Tier tier;
        private final int atOnce;

        On(Tier tier, int atOnce) {
            this.tier = tier;
            this.atOnce = atOnce;
        }
    }

    @BeforeAll
    static void start() {
        MemoryStore store = new MemoryStore();
        engine = new Engine(new Engine.Options(
                List.of(Linux.open()),
                store,
                store,
                EngineBench.network(),
                new RecordingAuditLog(),
                Policies.local(),
                EngineObserver.NONE,
                Clock.systemUTC(),
                new SecureRandom()));
        E2bSandboxes sandboxes = new E2bSandboxes(engine, engine::ownerOf);
        server = HttpServer.start(
                new Api(new ApiServices(engine, List::of, () -> "", false, () -> true)),
                (_, _) -> Optional.empty(),
                new HttpServer.Addresses(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        directory.resolve("run/api.sock"),
                        Optional.empty()),
                (routing, sockets) -> routing.addFilter(new Traffic(
                        TrafficHosts.LOCAL, sandboxes, TOKENS, Map.of(), new PortProxy(engine, sandboxes, sockets))),
                100);
    }

    @AfterAll
    static void stop() {
        server.close();
        engine.close();
    }

    /// A sandbox with the server in it, which begins to listen after a while.
    private static final class Served implements AutoCloseable {
        final Sandbox sandbox;
        final CompletableFuture<Execution.Result> ended = new CompletableFuture<>();
        final Recording said = new Recording();

        Served(On on, double delaySeconds) {
            sandbox = engine.execute(
                    Samples.ALICES_KEY,
                    new Command.CreateSandbox(new SandboxSpec(
                            Optional.of(on.tier),
                            Language.PYTHON,
                            Duration.ofMinutes(5),
                            ResourceLimits.DEFAULT,
                            Map.of(),
                            new SandboxFacts(Optional.of("base"), true, true, Optional.empty()).into(Map.of()))));
            Execution.ProcessSpec program = new Execution.ProcessSpec(
                    List.of("python3", "-c", PROGRAM, Double.toString(delaySeconds)),
                    Optional.empty(),
                    Map.of(),
                    GuestPath.HOME,
                    false,
                    new ResourceLimits(
                            Limits.WALL_TIME_MAX,
                            Limits.CPU_TIME_MAX,
                            Limits.MEMORY_BYTES_DEFAULT,
                            Limits.OUTPUT_BYTES_DEFAULT,
                            Limits.DISK_BYTES_DEFAULT,
                            Limits.FILE_COUNT_DEFAULT));
            Thread.ofVirtual().start(() -> {
                try {
                    ended.complete(
                            engine.execute(Samples.ALICES_KEY, new Command.StartProcess(sandbox.id(), program), said));
                } catch (RuntimeException e) {
                    ended.completeExceptionally(e);
                }
            });
        }

        HttpRequest.Builder request(String path) {
            return to(sandbox.id(), path);
        }

        /// As [#request], once the server listens.
        Served listening() throws Exception {
            for (int i = 0; i < 100; i++) {
                if (send(request("/").build()).statusCode() == 200) {
                    return this;
                }
                assertThat(ended).isNotDone();
            }
            throw new AssertionError("the server inside does not listen");
        }

        @Override
        public void close() {
            engine.execute(Samples.ALICES_KEY, new Command.KillSandbox(sandbox.id()));
        }
    }

    private static HttpRequest.Builder to(SandboxId id, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .header("E2b-Sandbox-Id", id.value())
                .header("E2b-Sandbox-Port", Integer.toString(PORT));
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource
    void carriesPagesAndWhatIsPosted(On on) throws Exception {
        try (Served served = new Served(on, 0).listening()) {
            assertThat(send(served.request("/a/page?b=c").build()).body())
                    .startsWith("/a/page?b=c ")
                    .doesNotContainIgnoringCase("e2b-");
            byte[] content = new byte[5_000_000];
            new Random(1).nextBytes(content);
            assertThat(HTTP.send(
                                    served.request("/")
                                            .POST(HttpRequest.BodyPublishers.ofByteArray(content))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofByteArray())
                            .body())
                    .isEqualTo(content);
        }
    }

    @ParameterizedTest
    @EnumSource
    void carriesEventsAsTheyHappen(On on) throws Exception {
        try (Served served = new Served(on, 0).listening()) {
            HttpResponse<InputStream> events =
                    HTTP.send(served.request("/events").build(), HttpResponse.BodyHandlers.ofInputStream());
            List<Long> at = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                assertThat(new String(events.body().readNBytes(9), StandardCharsets.UTF_8))
                        .isEqualTo("data: " + i + "\n\n");
                at.add(System.nanoTime());
            }
            assertThat(events.body().read()).isEqualTo(-1);
            assertThat(Duration.ofNanos(at.get(2) - at.get(0))).isGreaterThan(Duration.ofMillis(600));
        }
    }

    @ParameterizedTest
    @EnumSource
    void carriesWebSockets(On on) throws Exception {
        try (Served served = new Served(on, 0).listening()) {
            BlockingQueue<String> heard = new LinkedBlockingQueue<>();
            CompletableFuture<Integer> closed = new CompletableFuture<>();
            WebSocket socket = HTTP.newWebSocketBuilder()
                    .header("E2b-Sandbox-Id", served.sandbox.id().value())
                    .header("E2b-Sandbox-Port", Integer.toString(PORT))
                    .buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/"), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                            heard.add(data.toString());
                            from.request(1);
                            return CompletableFuture.completedFuture(null);
                        }

                        @Override
                        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
                            closed.complete(code);
                            return CompletableFuture.completedFuture(null);
                        }
                    })
                    .get(20, TimeUnit.SECONDS);
            for (int i = 0; i < 50; i++) {
                socket.sendText("message " + i, true).get(20, TimeUnit.SECONDS);
                assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo("message " + i);
            }
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").get(20, TimeUnit.SECONDS);
            assertThat(closed.get(20, TimeUnit.SECONDS)).isEqualTo(WebSocket.NORMAL_CLOSURE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void servesManyAtOnce(On on) throws Exception {
        try (Served served = new Served(on, 0).listening()) {
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < on.atOnce; i++) {
                all.add(HTTP.sendAsync(served.request("/events").build(), HttpResponse.BodyHandlers.ofString()));
            }
            for (CompletableFuture<HttpResponse<String>> each : all) {
                assertThat(each.get(60, TimeUnit.SECONDS).body())
                        .as("with a server that said %s", served.said.stderr())
                        .endsWith("data: 2\n\n");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void waitsForAServerThatIsAboutToListenAndSaysSoIfNoneDoes(On on) throws Exception {
        try (Served served = new Served(on, 0.2)) {
            served.listening();
            HttpResponse<String> closed =
                    send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
                            .header("E2b-Sandbox-Id", served.sandbox.id().value())
                            .header("E2b-Sandbox-Port", "8001")
                            .build());
            assertThat(closed.statusCode()).isEqualTo(502);
            assertThat(closed.body()).contains("The sandbox is running but port is not open");
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsWithTheSandbox(On on) throws Exception {
        Served served = new Served(on, 0);
        CompletableFuture<HttpResponse<String>> underWay;
        try (served) {
            served.listening();
            HttpResponse<InputStream> events =
                    HTTP.send(served.request("/events").build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(events.body().readNBytes(9)).hasSize(9);
            underWay = HTTP.sendAsync(served.request("/events").build(), HttpResponse.BodyHandlers.ofString());
            while (events.body().available() == 0) {
                Thread.onSpinWait();
            }
        }
        // What was under way breaks off, and is not taken for the whole.
        assertThat(underWay).failsWithin(Duration.ofSeconds(20));
        long begun = System.nanoTime();
        HttpResponse<String> gone = send(served.request("/").build());
        assertThat(gone.statusCode()).isEqualTo(502);
        assertThat(gone.body()).contains("The sandbox was not found");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(2));
    }
}
