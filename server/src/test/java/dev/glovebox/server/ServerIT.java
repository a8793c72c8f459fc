package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.CodeContext;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.OutputListener;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.CodeError;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.ExecuteRequest;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.FileResponse;
import dev.glovebox.wire.api.KeyRequest;
import dev.glovebox.wire.api.KeyResponse;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.RichResult;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import dev.glovebox.wire.api.SandboxPage;
import dev.glovebox.wire.api.SandboxRequest;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Every route through the real HTTP server and the real client, over TCP and the Unix-domain socket.
final class ServerIT {
    private static TestServer server;
    private static Glovebox client;

    @BeforeAll
    static void start() {
        server = new TestServer();
        client = server.client(server.tenantKey);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static RunRequest script(String code) {
        return RunRequest.of("python", code);
    }

    private static SandboxRequest sandbox(@Nullable Map<String, String> metadata) {
        return new SandboxRequest("wasm", "python", 60L, null, null, metadata);
    }

    private static CommandRequest command(String code, @Nullable Content stdin, @Nullable Boolean openStdin) {
        return new CommandRequest(null, "python", code, null, null, null, null, stdin, openStdin, null);
    }

    @Test
    void runsAndAnswersEverythingAtOnce() {
        RunResponse response = client.run(script("out héllo\nerr oops\nresult 42\nexit 3"));

        assertThat(response.stdout()).isEqualTo("héllo\n");
        assertThat(response.stdoutBase64()).isNull();
        assertThat(response.stderr()).isEqualTo("oops\n");
        assertThat(response.results()).containsExactly(new RichResult(true, Map.of("text/plain", "42")));
        assertThat(response.outcome().word()).isEqualTo("exited");
        assertThat(response.outcome().exitStatus()).isEqualTo(3);
        assertThat(response.tier()).isEqualTo("wasm");
        assertThat(response.usage().wallMicros()).isEqualTo(3000);
        assertThat(response.auditId()).isPositive();
    }

    @Test
    void runsOverTheUnixSocketWithoutAKeyAsTheLocalAdministrator() {
        try (Glovebox local = Glovebox.connect(server.socket)) {
            assertThat(local.run(script("out hi")).stdout()).isEqualTo("hi\n");
            assertThat(local.isReady()).isTrue();
            assertThat(server.gate.principals.getLast().credential()).isEqualTo("local");
            assertThat(local.keys().list()).isNotEmpty();
        }
    }

    @Test
    void keepsTheSocketToItsOwner() throws Exception {
        assertThat(Files.getPosixFilePermissions(server.socket).toString()).isEqualTo("[OWNER_READ, OWNER_WRITE]");
        assertThat(Files.getPosixFilePermissions(server.socket.getParent())).hasSize(3);
    }

    @Test
    void passesFilesInputAndErrorsThrough() {
        RunRequest request = new RunRequest(
                "python",
                "auto",
                "cat\nraise ValueError",
                null,
                null,
                List.of("a"),
                Map.of("K", "V"),
                new Content(null, "/w=="),
                Map.of("in.txt", new Content("data", null), "/raw", new Content(null, "gP8=")),
                List.of("in.txt", "/raw", "/missing"),
                false,
                new LimitSet(1000L, null, null, null, null, null));

        RunResponse response = client.run(request);

        assertThat(response.stdout()).isEqualTo("\uFFFD");
        assertThat(response.stdoutBase64()).isEqualTo("/w==");
        assertThat(response.error()).isNotNull().extracting(CodeError::name).isEqualTo("ValueError");
        assertThat(response.files())
                .isEqualTo(Map.of(
                        "/home/user/in.txt", new Content("data", null),
                        "/raw", new Content(null, "gP8=")));
    }

    @Test
    void streamsOutputAsItComesAndKeepsItsBytes() {
        Recorder recorder = new Recorder();

        RunResponse response =
                client.run(script("outhex c3\nouthex a9\nouthex ff\nerr e\nresult r\nouthex e282\nexit 0"), recorder);

        assertThat(recorder.stdout.toByteArray()).containsExactly(0xc3, 0xa9, 0xff, 0xe2, 0x82);
        assertThat(recorder.stderr).hasToString("e\n");
        assertThat(recorder.results).hasSize(1);
        assertThat(response.stdout()).isEmpty();
        assertThat(response.results()).isEmpty();
        assertThat(response.outcome().exitStatus()).isZero();
    }

    @Test
    void streamsMoreThanItHolds() {
        Recorder recorder = new Recorder();
        client.run(script("flood 640"), recorder);
        assertThat(recorder.stdout.size()).isEqualTo(640 * 64 * 1024);
    }

    @Test
    void tellsARefusalBeforeAndAfterTheFirstByte() {
        assertThatThrownBy(() -> client.run(script("refuse policy_denied"), new Recorder()))
                .isInstanceOfSatisfying(ApiException.class, e -> {
                    assertThat(e.code()).isEqualTo("policy_denied");
                    assertThat(e.problem().status()).isEqualTo(403);
                });
        assertThatThrownBy(() -> client.run(script("out x\nrefuse overloaded"), new Recorder()))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo("overloaded"));
        assertThat(client.run(script("out after")).stdout()).isEqualTo("after\n");
    }

    @Test
    void tellsNothingOfAnInternalErrorButItsNumber() {
        assertThatThrownBy(() -> client.run(script("crash"))).isInstanceOfSatisfying(ApiException.class, e -> {
            assertThat(e.code()).isEqualTo("internal");
            assertThat(e.problem().instance()).startsWith("urn:uuid:");
            assertThat(e.problem().toString()).doesNotContain("secret");
        });
    }

    @Test
    void refusesToHoldMoreOutputThanItsBound() {
        LimitSet limits = new LimitSet(null, null, null, 17L << 20, null, null);
        RunRequest request =
                new RunRequest("python", null, "out x", null, null, null, null, null, null, null, null, limits);
        assertThatThrownBy(() -> client.run(request))
                .hasMessageContaining("16777216")
                .hasMessageContaining("text/event-stream");
        assertThat(client.run(request, new Recorder()).outcome().exitStatus()).isZero();
    }

    @Test
    void servesTheLifeOfASandbox() {
        Sandbox sandbox = client.sandboxes().create(sandbox(Map.of("team", "blue")));

        assertThat(client.sandboxes().get(sandbox.id()).details().state()).isEqualTo("running");
        assertThat(sandbox.details().limits().memoryBytes()).isEqualTo(256L << 20);
        assertThat(sandbox.extend(Duration.ofMinutes(10)).expiresAt())
                .isNotEqualTo(sandbox.details().expiresAt());
        sandbox.kill();
        assertThatThrownBy(() -> client.sandboxes().get(sandbox.id()))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo("sandbox_not_found"));
    }

    @Test
    void listsSandboxesPageByPageAndByMetadata() {
        Map<String, String> mine = Map.of("list", "a b=c&d");
        List<Sandbox> made = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            made.add(client.sandboxes().create(sandbox(mine)));
        }

        SandboxPage first = client.sandboxes().page(mine, 2, null);
        assertThat(first.items()).hasSize(2);
        SandboxPage second = client.sandboxes().page(mine, 4, first.next());
        assertThat(second.items()).hasSize(3);
        assertThat(second.next()).isNull();
        assertThat(client.sandboxes().all(mine)).hasSize(5);
        assertThat(client.sandboxes().all(Map.of("list", "other"))).isEmpty();
        made.forEach(Sandbox::kill);
    }

    @Test
    void showsNobodyAnotherTenantsSandbox() {
        Sandbox sandbox = client.sandboxes().create(sandbox(null));
        try (Glovebox other = server.client(server.otherKey)) {
            String hidden = message(() -> other.sandboxes().get(sandbox.id()));
            String missing = message(() -> other.sandboxes().get("i00000000000000000000"));
            assertThat(hidden).isEqualTo(missing);
            assertThat(other.sandboxes().all(Map.of())).isEmpty();
        }
        sandbox.kill();
    }

    private static String message(Runnable action) {
        try {
            action.run();
            return "";
        } catch (ApiException e) {
            return e.detail();
        }
    }

    @Test
    void runsCommandsWithInlineInput() {
        Sandbox sandbox = client.sandboxes().create(sandbox(null));
        ExecutionResponse response = sandbox.run(command("cat", new Content("typed", null), null));
        assertThat(response.stdout()).isEqualTo("typed");
        assertThat(sandbox.run(CommandRequest.ofArguments(List.of("out", "argued")))
                        .stdout())
                .isEqualTo("argued\n");
        sandbox.kill();
    }

    @Test
    void writesToAndSignalsACommandThatRuns() throws Exception {
        Sandbox sandbox = client.sandboxes().create(sandbox(null));
        try (ExecutorService beside = Executors.newVirtualThreadPerTaskExecutor()) {
            Recorder recorder = new Recorder();
            List<Future<?>> writes = new ArrayList<>();
            recorder.onStart = pid -> writes.add(beside.submit(() -> {
                assertThat(sandbox.commands()).extracting(entry -> entry.pid()).contains(pid);
                sandbox.writeInput(pid, "one ".getBytes(StandardCharsets.UTF_8), false);
                sandbox.writeInput(pid, new byte[] {(byte) 0xff}, true);
            }));
            sandbox.run(command("cat", null, true), recorder);
            writes.getFirst().get();
            assertThat(recorder.stdout.toByteArray()).containsExactly('o', 'n', 'e', ' ', 0xff);

            Recorder waiting = new Recorder();
            waiting.onStart = pid -> beside.execute(() -> sandbox.signal(pid, 15));
            assertThat(sandbox.run(command("wait", null, null), waiting)
                            .outcome()
                            .word())
                    .isEqualTo("killed");
        }
        assertThatThrownBy(() -> sandbox.signal(999_999, 15)).hasMessageContaining("no such process");
        sandbox.kill();
    }

    @Test
    void readsAndWritesFiles() {
        Sandbox sandbox = client.sandboxes().create(sandbox(null));
        String name = "dir/a b&ü?.txt";

        FileResponse written = sandbox.files().write(name, "content".getBytes(StandardCharsets.UTF_8));
        assertThat(written.path()).isEqualTo("/home/user/" + name);
        assertThat(sandbox.files().read(name)).asString().isEqualTo("content");
        assertThat(sandbox.files().stat(name).sizeBytes()).isEqualTo(7);
        assertThat(sandbox.files().list("/home/user", 3)).hasSize(1);
        sandbox.files().move(name, "/moved");
        assertThat(sandbox.files().read("/moved")).hasSize(7);
        sandbox.files().write("/empty", new byte[0]);
        assertThat(sandbox.files().read("/empty")).isEmpty();
        assertThat(sandbox.files().makeDirectory("/d").type()).isEqualTo("directory");
        sandbox.files().remove("/moved");
        assertThatThrownBy(() -> sandbox.files().read("/moved")).hasMessageContaining("no such file");
        sandbox.kill();
    }

    @Test
    void streamsALargeFileBothWays() {
        Sandbox sandbox = client.sandboxes().create(sandbox(null));
        byte[] large = new byte[100 << 20];
        new Random(1).nextBytes(large);

        assertThat(sandbox.files().write("/large", large).sizeBytes()).isEqualTo(large.length);
        Comparison comparison = new Comparison(large);
        sandbox.files().read("/large", comparison);
        assertThat(comparison.position).isEqualTo(large.length);
        sandbox.kill();
    }

    @Test
    void keepsContexts() {
        Sandbox sandbox = client.sandboxes().create(sandbox(null));
        CodeContext context = sandbox.contexts().open("python");
        assertThat(sandbox.contexts().list()).hasSize(1);
        assertThat(context.execute("result 2").results()).hasSize(1);
        Recorder recorder = new Recorder();
        context.execute(new ExecuteRequest("out streamed", Map.of(), null), recorder);
        assertThat(recorder.stdout).hasToString("streamed\n");
        context.interrupt();
        context.close();
        assertThatThrownBy(() -> context.execute("out x")).hasMessageContaining("no such context");
        sandbox.kill();
    }

    @Test
    void letsAdministratorsManageKeys() {
        try (Glovebox admin = server.client(server.adminKey)) {
            KeyResponse made = admin.keys().create(new KeyRequest("ci", "blue", null));
            String secret = Objects.requireNonNull(made.secret());
            assertThat(secret).startsWith("e2b_");
            assertThat(made.toString()).doesNotContain(secret);
            assertThat(admin.keys().list())
                    .anySatisfy(key -> assertThat(key.id()).isEqualTo(made.id()))
                    .allSatisfy(key -> assertThat(key.secret()).isNull());
            try (Glovebox blue = server.client(secret)) {
                assertThat(blue.run(script("out x")).stdout()).isEqualTo("x\n");
                assertThat(server.gate.principals.getLast().tenant().value()).isEqualTo("blue");
                admin.keys().revoke(made.id());
                assertThatThrownBy(() -> blue.run(script("out x")))
                        .isInstanceOfSatisfying(
                                ApiException.class, e -> assertThat(e.code()).isEqualTo("unauthenticated"));
            }
            assertThatThrownBy(() -> admin.keys().revoke("none")).hasMessageContaining("no such key");
        }
        assertThatThrownBy(() -> client.keys().list())
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo("forbidden"));
    }

    @Test
    void tellsWhichTiersWork() {
        assertThat(client.tiers()).singleElement().satisfies(tier -> {
            assertThat(tier.tier()).isEqualTo("wasm");
            assertThat(tier.available()).isTrue();
        });
    }

    @Test
    void refusesWorkWhileItStops() {
        server.takesWork.set(false);
        try {
            assertThatThrownBy(() -> client.run(script("out x")))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.problem().status()).isEqualTo(503));
            assertThat(client.isReady()).isFalse();
        } finally {
            server.takesWork.set(true);
        }
    }

    /// Keeps what it hears.
    private static final class Recorder implements OutputListener {
        private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        private final List<RichResult> results = new ArrayList<>();
        private java.util.function.LongConsumer onStart = _ -> {};

        @Override
        public void started(long pid) {
            onStart.accept(pid);
        }

        @Override
        public void stdout(byte[] bytes) {
            stdout.writeBytes(bytes);
        }

        @Override
        public void stderr(byte[] bytes) {
            stderr.writeBytes(bytes);
        }

        @Override
        public void result(RichResult result) {
            results.add(result);
        }
    }

    /// Compares what is written to it instead of keeping it.
    private static final class Comparison extends OutputStream {
        private final byte[] expected;
        private int position;

        Comparison(byte[] expected) {
            this.expected = expected;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            for (int i = 0; i < length; i++) {
                if (bytes[offset + i] != expected[position + i]) {
                    throw new AssertionError("the file differs at " + (position + i));
                }
            }
            position += length;
        }
    }
}
