package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.conformance.Dialect.Task;
import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.CodeContext;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.RunResponse;
import dev.glovebox.wire.api.SandboxResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Ends that nobody asked for: of the server, of its cells. Needs a server of its own, whose processes it may end.
class LifeIT {
    private static final int MOMENTS_MAX = 12;
    /// How much more than any other cell the one with the endless loop computes in a moment.
    private static final int AHEAD = 5;
    /// The promise is 250 ms on a machine that has a processor to spare; taking a JVM's memory apart needs one.
    private static final Duration CELLS_GONE_MAX = Duration.ofSeconds(1);
    private static final Duration YOUNG = Duration.ofSeconds(1);
    private static final Duration STARTING_MAX = Duration.ofSeconds(5);
    /// Until the cells that start are there, and then long enough to see who computes.
    private static final Duration WATCH = Duration.ofMillis(1500);
    private static final long LEASE_SECONDS = 120;

    private Server server;

    @BeforeEach
    void start() {
        // Whatever glovebox.url says: this suite ends processes, so it has a server of its own.
        server = Server.start();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            List<ProcessHandle> cells = server.cells();
            server.close();
            areSoonGone(cells);
        }
    }

    /// A cell that is still starting has no sandbox, and reads its lifeline only once its JVM is up.
    private static void areSoonGone(List<ProcessHandle> processes) {
        long now = System.nanoTime();
        processes.forEach(
                process -> isGoneBy(now + (isYoung(process) ? STARTING_MAX : CELLS_GONE_MAX).toNanos(), process));
    }

    private static boolean isYoung(ProcessHandle process) {
        return process.info()
                .startInstant()
                .map(start -> start.isAfter(Instant.now().minus(YOUNG)))
                .orElse(true);
    }

    private static void isGoneBy(long end, ProcessHandle process) {
        while (process.isAlive() && !isZombie(process)) {
            assertThat(System.nanoTime())
                    .as("process " + process.pid() + " lives on")
                    .isLessThan(end);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /// Has ended, and waits for its new parent to take notice of it.
    private static boolean isZombie(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return true;
        }
    }

    private static RunResponse hello(Glovebox client, Dialect dialect) {
        RunResponse answer = client.run(Asking.of(dialect, Task.HELLO).run());
        assertThat(answer.stdout()).as(answer.toString()).isEqualTo("hello, wörld\n");
        return answer;
    }

    @Test
    void aRestartLosesNoKeyAndSettlesSandboxes() {
        Target tenant = server.target().tenant("stays");
        String id;
        long lastAuditId;
        try (Glovebox client = tenant.connect()) {
            id = client.sandboxes()
                    .create(Asking.sandbox(Dialect.WASM_PYTHON, LEASE_SECONDS))
                    .id();
            lastAuditId = hello(client, Dialect.WASM_PYTHON).auditId();
        }
        assertThat(server.stop()).as("exit status").isIn(0, 143);
        server.restart();
        assertThat(server.log()).as("a key is told once").doesNotContain("e2b_");
        try (Glovebox client = new Target(server.target().address(), tenant.key()).connect()) {
            assertThat(client.sandboxes().all(Map.of())).isEmpty();
            Refusal.of(() -> client.sandboxes().get(id)).is(404, "sandbox_not_found", id);
            assertThat(hello(client, Dialect.WASM_PYTHON).auditId())
                    .as("the audit log goes on")
                    .isGreaterThan(lastAuditId);
        }
    }

    @Test
    void aSecondServerOfAHomeIsRefusedAndHarmsNothing() throws IOException {
        try (Glovebox client = server.connect()) {
            String id = client.sandboxes()
                    .create(Asking.sandbox(Dialect.WASM_PYTHON, LEASE_SECONDS))
                    .id();
            List<Path> before = entries(server.home().resolve("run"));

            Server.Refused second = server.another(server.home(), "127.0.0.1:0");

            assertThat(second.status()).as(second.said()).isEqualTo(125);
            assertThat(second.said()).contains("another Glovebox server runs already", "--home");
            assertThat(client.sandboxes().all(Map.of()))
                    .extracting(SandboxResponse::id)
                    .containsExactly(id);
            assertThat(entries(server.home().resolve("run"))).isEqualTo(before);
        }
    }

    @Test
    void aServerWithoutItsPortSaysWhyAndLeavesNothing(@TempDir Path home) throws IOException {
        String taken = server.target().address().getAuthority();

        Server.Refused other = server.another(home, taken);

        assertThat(other.status()).as(other.said()).isEqualTo(125);
        assertThat(other.said())
                .contains("cannot listen on " + taken, "in use", "another address")
                .hasLineCount(1);
        assertThat(entries(home.resolve("run"))).containsExactly(home.resolve("run/server.lock"));
    }

    private static List<Path> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }

    @Test
    void killingTheServerLeavesNoCell() {
        try (Glovebox client = server.connect()) {
            hello(client, Dialect.WASM_PYTHON);
            hello(client, Dialect.ISOLATE_JAVASCRIPT);
            Sandbox sandbox = client.sandboxes().create(Asking.sandbox(Dialect.WASM_PYTHON, LEASE_SECONDS));
            Heard heard = new Heard();
            Beside.start(() -> sandbox.run(
                    Asking.of(Dialect.WASM_PYTHON, Task.READY_AND_SPIN).command(), heard));
            heard.awaitOut("ready");
        }
        List<ProcessHandle> cells = server.cells();
        assertThat(cells).isNotEmpty();
        server.kill();
        areSoonGone(cells);
        server.restart();
        try (Glovebox client = server.connect()) {
            assertThat(client.sandboxes().all(Map.of())).isEmpty();
            hello(client, Dialect.WASM_PYTHON);
        }
    }

    @Test
    void killingACellHarmsItsTenantOnlyAndOnlyOnce() {
        try (Glovebox victim = server.target().tenant("victim").connect();
                Glovebox other = server.target().tenant("other").connect()) {
            Sandbox steady = other.sandboxes().create(Asking.sandbox(Dialect.WASM_PYTHON, LEASE_SECONDS));
            CodeContext context = steady.contexts().open("python");
            context.execute("x = 41");
            Heard waiting = new Heard();
            Beside<ExecutionResponse> neighbour = Beside.start(() -> steady.run(
                    Asking.of(
                                    Dialect.WASM_PYTHON,
                                    "import time\nprint('ready', flush=True)\ntime.sleep(6)\nprint('over')")
                            .command(),
                    waiting));
            waiting.awaitOut("ready");
            Sandbox doomed = victim.sandboxes().create(Asking.sandbox(Dialect.WASM_PYTHON, LEASE_SECONDS));
            Heard spinning = new Heard();
            Beside<ExecutionResponse> busy = Beside.start(() -> doomed.run(
                    Asking.of(Dialect.WASM_PYTHON, Task.READY_AND_SPIN).command(), spinning));
            spinning.awaitOut("ready");

            assertThat(busiest(server.cells()).destroyForcibly()).isTrue();

            lost(busy);
            Refusal.of(() -> victim.sandboxes().get(doomed.id())).is(404, "sandbox_not_found", doomed.id());
            hello(victim, Dialect.WASM_PYTHON);
            hello(victim, Dialect.ISOLATE_JAVASCRIPT);
            assertThat(neighbour.await().outcome().exitStatus()).isZero();
            assertThat(waiting.out()).isEqualTo("ready\nover\n");
            assertThat(context.execute("x + 1").results().getFirst().data()).containsEntry("text/plain", "42");
        }
    }

    /// The cell in which an endless loop runs: the only one that computes. A cell that is just starting, or prepares
    /// its
    /// interpreters, is busy too, for seconds where the machine is: until it is done nobody can tell them apart.
    private static ProcessHandle busiest(List<ProcessHandle> cells) {
        for (int moment = 0; moment < MOMENTS_MAX; moment++) {
            Map<ProcessHandle, Duration> before = new HashMap<>();
            cells.forEach(cell -> before.put(cell, used(cell)));
            LockSupport.parkNanos(WATCH.toNanos());
            ProcessHandle first = cells.getFirst();
            Duration most = Duration.ZERO;
            Duration second = Duration.ZERO;
            for (ProcessHandle cell : cells) {
                Duration spent = used(cell).minus(before.getOrDefault(cell, Duration.ZERO));
                if (spent.compareTo(most) > 0) {
                    second = most;
                    most = spent;
                    first = cell;
                } else if (spent.compareTo(second) > 0) {
                    second = spent;
                }
            }
            if (second.multipliedBy(AHEAD).compareTo(most) < 0) {
                return first;
            }
        }
        throw new AssertionError("more than one of the cells computes without end: " + cells);
    }

    private static Duration used(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /// A run whose cell was killed is answered, as an outcome or as a refusal.
    private static void lost(Beside<ExecutionResponse> busy) {
        try {
            ExecutionResponse answer = busy.await();
            assertThat(answer.outcome().word()).isEqualTo("backend_lost");
            assertThat(answer.outcome().exitStatus()).isEqualTo(125);
            assertThat(answer.outcome().sentence()).startsWith("was lost:");
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo("backend_lost");
        }
    }

    @Test
    void aStopEndsWhatRuns() {
        try (Glovebox client = server.connect()) {
            Heard heard = new Heard();
            Beside<RunResponse> busy = Beside.start(() -> client.run(
                    Asking.of(Dialect.WASM_PYTHON, Task.READY_AND_SPIN).run(), heard));
            heard.awaitOut("ready");
            List<ProcessHandle> cells = server.cells();
            long begun = System.nanoTime();
            server.stop();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
            areSoonGone(cells);
            try {
                assertThat(busy.await().outcome().word()).isIn("killed", "backend_lost");
            } catch (RuntimeException e) {
                assertThat(e.getMessage()).as("an end in words").isNotBlank();
            }
        }
    }
}
