package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.backend.TierStatus;
import dev.glovebox.core.egress.NetworkGrant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Cells as processes: who shares one, who dies with one, and that none is left. They run [FakeCell].
@Timeout(120)
class CellBackendIT {
    private static final TenantId ONE = new TenantId("one");
    private static final TenantId OTHER = new TenantId("other");
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final CellTimes TIMES = new CellTimes(LONG, LONG, LONG);
    private static final Logger CELL_LOG = Logger.getLogger(Cell.class.getName());

    @TempDir
    Path directory;

    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            logged.add(new java.util.logging.SimpleFormatter().formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeEach
    void build() throws IOException {
        Files.createDirectories(directory.resolve("run"));
        Files.createDirectories(directory.resolve("dist/native"));
        Files.createDirectories(directory.resolve("dist/guest"));
        Files.createFile(directory.resolve("dist/guest/python.wasm"));
        Files.createFile(directory.resolve("dist/cell.flags"));
        Files.createDirectories(directory.resolve("java/bin"));
        writeJava("exec '" + System.getProperty("java.home") + "/bin/java' -Xmx64m -XX:+UseSerialGC"
                + " -XX:TieredStopAtLevel=1 -cp '" + System.getProperty("java.class.path") + "' "
                + FakeCell.class.getName() + " \"$@\"");
        CELL_LOG.setUseParentHandlers(false);
        CELL_LOG.addHandler(handler);
    }

    @AfterEach
    void leaveNothing() throws Exception {
        for (AutoCloseable resource : opened.reversed()) {
            resource.close();
        }
        CELL_LOG.removeHandler(handler);
        CELL_LOG.setUseParentHandlers(true);
        assertThat(ProcessHandle.current().children()).as("processes left").isEmpty();
        assertThat(directory.resolve("run")).as("sockets left").isEmptyDirectory();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.matches("cell-\\d+-log"));
    }

    // ---- who shares a cell

    @Test
    void putsTheSandboxesOfATenantInOneCellAndThoseOfAnotherInAnother() {
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        long first = pid(create(backend, ONE, false));
        long second = pid(create(backend, ONE, false));
        long other = pid(create(backend, OTHER, false));

        assertThat(second).isEqualTo(first);
        assertThat(other).isNotEqualTo(first);
        assertThat(backend.cellPids()).containsExactlyInAnyOrder(first, other);
    }

    @Test
    void startsOneCellForATenantWhoseSandboxesComeAtOnce() throws Exception {
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        List<CompletableFuture<SandboxHandle>> creating = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            creating.add(CompletableFuture.supplyAsync(
                    () -> backend.create(requirements(ONE, false)),
                    task -> Thread.ofVirtual().start(task)));
        }
        for (CompletableFuture<SandboxHandle> handle : creating) {
            opened.add(handle.get());
        }
        assertThat(backend.cellPids()).hasSize(1);
    }

    @Test
    void givesASandboxThatMustBeAloneACellOfItsOwnAndEndsItWithIt() throws Exception {
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        SandboxHandle alone = create(backend, ONE, true);
        long pid = pid(alone);
        long shared = pid(create(backend, ONE, false));
        assertThat(shared).isNotEqualTo(pid);

        alone.close();

        assertThat(isAlive(pid)).isFalse();
        assertThat(backend.cellPids()).containsExactly(shared);
        alone.close();
    }

    @Test
    void startsACellWithNothingOfTheHostsEnvironmentAndItsFlags() {
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        SandboxHandle sandbox = create(backend, ONE, false);
        assertThat(fact(sandbox, "/environment").split(" "))
                .isSubsetOf(
                        "PWD",
                        "OLDPWD",
                        "SHLVL",
                        "_",
                        "",
                        "MALLOC_ARENA_MAX",
                        "MALLOC_MMAP_THRESHOLD_",
                        "MALLOC_TRIM_THRESHOLD_");
        assertThat(fact(sandbox, "/arguments"))
                .startsWith("@" + directory.resolve("dist/cell.flags"))
                .contains("dev.glovebox.cell.Cell --socket ");
    }

    // ---- who dies with a cell

    @Test
    void losesOnlyTheTenantsSandboxesWhenItsCellDiesAndStartsAnother() throws Exception {
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        SandboxHandle victim = create(backend, ONE, false);
        SandboxHandle witness = create(backend, OTHER, false);
        CompletableFuture<String> lost = new CompletableFuture<>();
        CompletableFuture<String> witnessLost = new CompletableFuture<>();
        victim.onLost(lost::complete);
        witness.onLost(witnessLost::complete);
        long dead = pid(victim);
        CompletableFuture<Execution.Result> running = run(victim);

        backend.killCell(ONE);

        assertThat(lost.get()).isNotBlank();
        assertThat(running.get().outcome()).isInstanceOf(Outcome.BackendLost.class);
        assertThatThrownBy(() -> fact(victim, "/pid"))
                .isInstanceOfSatisfying(
                        GloveboxException.class, gone -> assertThat(gone.code()).isEqualTo(ErrorCode.BACKEND_LOST));
        long next = pid(create(backend, ONE, false));
        assertThat(next).isNotEqualTo(dead);
        assertThat(fact(witness, "/pid")).isNotEmpty();
        assertThat(witnessLost).isNotDone();
        assertThat(isAlive(dead)).isFalse();
        victim.close();
        assertThat(fact(create(backend, ONE, false), "/pid")).isEqualTo(Long.toString(next));
    }

    @Test
    void noticesACellThatIsKilledFromOutside() throws Exception {
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        SandboxHandle sandbox = create(backend, ONE, false);
        CompletableFuture<String> lost = new CompletableFuture<>();
        sandbox.onLost(lost::complete);
        long pid = pid(sandbox);
        kill(pid);
        assertThat(lost.get()).isIn("its agent ended", "its connection broke");
        eventually(() -> backend.cellPids().isEmpty());
        assertThat(pid(create(backend, ONE, false))).isNotEqualTo(pid);
    }

    // ---- spares and idle cells

    @Test
    void keepsASpareCellAndReplacesItWhenItIsTaken() {
        CellBackend backend = open(FakeCell.HONEST, 1, TIMES);
        eventually(() -> backend.cellPids().size() == 1);
        long spare = backend.cellPids().getFirst();
        assertThat(pid(create(backend, ONE, false))).isEqualTo(spare);
        eventually(() -> backend.cellPids().size() == 2);
    }

    @Test
    void replacesASpareThatDied() throws Exception {
        CellBackend backend = open(FakeCell.HONEST, 1, new CellTimes(LONG, LONG, SHORT));
        eventually(() -> backend.cellPids().size() == 1);
        long dead = backend.cellPids().getFirst();
        kill(dead);
        eventually(() -> backend.cellPids().size() == 1 && !backend.cellPids().contains(dead));
    }

    @Test
    void endsACellThatIsIdleAndNoneThatIsUsedAgain() throws Exception {
        CellBackend backend = open(FakeCell.HONEST, 0, new CellTimes(LONG, Duration.ofMillis(300), LONG));
        SandboxHandle first = create(backend, ONE, false);
        long pid = pid(first);
        first.close();
        SandboxHandle second = create(backend, ONE, false);
        assertThat(pid(second)).isEqualTo(pid);
        assertThat(new CountDownLatch(1).await(600, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(fact(second, "/pid")).isEqualTo(Long.toString(pid));

        second.close();

        ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
        eventually(() -> backend.cellPids().isEmpty());
        assertThat(pid(create(backend, ONE, false))).isNotEqualTo(pid);
    }

    // ---- the end

    @Test
    void endsEveryCellAndEverySandboxWhenItIsClosed() throws Exception {
        CellBackend backend = open(FakeCell.HONEST, 1, TIMES);
        SandboxHandle shared = create(backend, ONE, false);
        create(backend, OTHER, true);
        CompletableFuture<Execution.Result> running = run(shared);
        List<Long> pids = backend.cellPids();
        assertThat(pids).hasSizeGreaterThanOrEqualTo(2);

        backend.close();
        backend.close();

        assertThat(pids).noneMatch(CellBackendIT::isAlive);
        assertThat(running.get().outcome()).isInstanceOf(Outcome.BackendLost.class);
        assertThatThrownBy(() -> backend.create(requirements(ONE, false)))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED))
                .hasMessageContaining("this server is stopping");
    }

    @Test
    void closesAtOnceAlthoughCellsAreStillStarting() throws Exception {
        CellBackend backend = open(FakeCell.SILENT, 2, TIMES);
        CompletableFuture<Throwable> shared = creatingFails(backend, false);
        CompletableFuture<Throwable> alone = creatingFails(backend, true);
        eventually(() -> ProcessHandle.current().children().count() == 4);
        long before = System.nanoTime();

        backend.close();

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
        assertThat(ProcessHandle.current().children()).isEmpty();
        assertThat(shared.get()).isInstanceOf(GloveboxException.class);
        assertThat(alone.get()).isInstanceOf(GloveboxException.class);
    }

    // ---- cells that do not do their part

    @Test
    void refusesInWordsWhenACellDoesNotGreet() {
        CellBackend backend = open(FakeCell.SILENT, 0, new CellTimes(Duration.ofMillis(300), LONG, LONG));
        assertThatThrownBy(() -> backend.create(requirements(ONE, false)))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.BACKEND_LOST))
                .hasMessage("an agent did not connect within 300 ms");
        assertThat(ProcessHandle.current().children()).isEmpty();
        assertThat(backend.probe()).noneMatch(TierStatus::available);
    }

    @Test
    void refusesSoonWhenACellEndsAtItsStart() {
        CellBackend backend = open(FakeCell.FALLEN, 0, TIMES);
        assertThatThrownBy(() -> backend.create(requirements(ONE, false)))
                .isInstanceOf(GloveboxException.class)
                .hasMessage("an agent did not connect: its process ended with status 3");
    }

    @Test
    void refusesSoonWhenThereIsNoWorkingJava() throws IOException {
        writeJava("exit 126");
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        assertThatThrownBy(() -> backend.create(requirements(ONE, false))).isInstanceOf(GloveboxException.class);
        List<TierStatus> tiers = backend.probe();
        assertThat(tiers).hasSize(2).noneMatch(TierStatus::available);
    }

    @Test
    void passesARefusalOnAndKeepsTheCell() {
        CellBackend backend = open(FakeCell.FULL, 0, TIMES);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> backend.create(requirements(ONE, false)))
                    .isInstanceOfSatisfying(
                            GloveboxException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED))
                    .hasMessage("this cell is full");
        }
        assertThat(backend.cellPids()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {FakeCell.BROKEN, FakeCell.DEAF})
    void endsACellThatDoesNotAnswerAsItMust(String mode) {
        CellBackend backend = open(mode, 0, new CellTimes(Duration.ofSeconds(6), LONG, LONG));
        assertThatThrownBy(() -> backend.create(requirements(ONE, false)))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.BACKEND_LOST))
                .hasMessageStartingWith("the cell is gone: ");
        eventually(() -> backend.cellPids().isEmpty());
        assertThat(logged).anyMatch(line -> line.matches("cell \\d+ is ended: .*"));
    }

    @Test
    void refusesInWordsWhenASandboxDoesNotConnect() {
        CellBackend backend = open(FakeCell.EMPTY, 0, new CellTimes(Duration.ofSeconds(6), LONG, LONG));
        assertThatThrownBy(() -> backend.create(requirements(ONE, false)))
                .isInstanceOf(GloveboxException.class)
                .hasMessage("an agent did not connect within 6000 ms");
    }

    @Test
    void endsASandboxThatCouldNotBeConfigured() throws Exception {
        CellBackend backend = open(FakeCell.STUBBORN, 0, TIMES);
        assertThatThrownBy(() -> backend.create(requirements(ONE, false)))
                .isInstanceOf(GloveboxException.class)
                .hasMessage("it will not be configured");
        String pid = Long.toString(backend.cellPids().getFirst());
        assertThat(logged.poll(20, TimeUnit.SECONDS)).isEqualTo("cell " + pid + " says: a sandbox ended");
    }

    @Test
    void cleansAndBoundsTheLogOfACellAndReadsOn() {
        CellBackend backend = open(FakeCell.NOISY, 0, TIMES);
        SandboxHandle sandbox = create(backend, ONE, false);
        String prefix = "cell " + pid(sandbox) + " says: ";
        assertThat(logged).hasSize(1000);
        assertThat(logged.remove()).isEqualTo(prefix + "?[2J?31m?gone?");
        assertThat(logged.remove()).isEqualTo(prefix + "x".repeat(1000));
        assertThat(logged.remove()).isEqualTo(prefix + "line 0");
    }

    // ---- what it needs

    @Test
    void saysWhatIsMissing() throws IOException {
        Files.delete(directory.resolve("dist/guest/python.wasm"));
        assertThatThrownBy(() -> CellBackend.open(options(FakeCell.HONEST, 0)))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.TIER_UNAVAILABLE))
                .hasMessage("cells cannot start here: " + directory.resolve("dist/guest/python.wasm")
                        + " does not exist; './glovebox build' makes it");
    }

    @Test
    void replacesTheSocketThatADeadServerLeft() throws IOException {
        Files.createFile(
                directory.resolve("run/agents-" + ProcessHandle.current().pid() + ".sock"));
        CellBackend backend = open(FakeCell.HONEST, 0, TIMES);
        assertThat(backend.probe()).allMatch(TierStatus::available);
        assertThat(backend.tiers()).containsExactlyInAnyOrder(Tier.WASM, Tier.ISOLATE);
    }

    private void writeJava(String line) throws IOException {
        Path java = directory.resolve("java/bin/java");
        Files.writeString(java, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwx------"));
    }

    private CellOptions options(String mode, int spares) {
        return new CellOptions(
                directory.resolve("java"),
                directory.resolve("dist"),
                directory.resolve("run"),
                mode,
                spares,
                null,
                false);
    }

    private CellBackend open(String mode, int spares, CellTimes times) {
        CellBackend backend = CellBackend.open(options(mode, spares), times);
        opened.add(backend);
        return backend;
    }

    private SandboxHandle create(CellBackend backend, TenantId tenant, boolean alone) {
        SandboxHandle handle = backend.create(requirements(tenant, alone));
        opened.add(handle);
        return handle;
    }

    private static CompletableFuture<Throwable> creatingFails(CellBackend backend, boolean alone) {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                backend.create(requirements(ONE, alone)).close();
            } catch (RuntimeException refusal) {
                failure.complete(refusal);
            }
        });
        return failure;
    }

    private static Requirements requirements(TenantId tenant, boolean alone) {
        return new Requirements(
                SandboxId.random(new SecureRandom()),
                tenant,
                Tier.WASM,
                Language.PYTHON,
                Optional.empty(),
                ResourceLimits.DEFAULT,
                Map.of("A", "1"),
                NetworkGrant.CLOSED,
                alone);
    }

    private static CompletableFuture<Execution.Result> run(SandboxHandle sandbox) throws InterruptedException {
        CompletableFuture<Execution.Result> result = new CompletableFuture<>();
        RecordingSink sink = new RecordingSink();
        Execution.ProcessSpec spec = new Execution.ProcessSpec(
                List.of("python"), Optional.empty(), Map.of(), GuestPath.HOME, false, ResourceLimits.DEFAULT);
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(sandbox.start(new ProcessId(1), spec, sink));
            } catch (RuntimeException failure) {
                result.completeExceptionally(failure);
            }
        });
        assertThat(sink.started.await(20, TimeUnit.SECONDS)).isTrue();
        return result;
    }

    private static String fact(SandboxHandle sandbox, String path) {
        return sandbox.stat(new GuestPath(path)).linkTarget();
    }

    private static long pid(SandboxHandle sandbox) {
        return Long.parseLong(fact(sandbox, "/pid"));
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private static void kill(long pid) {
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    }

    /// For what nothing tells: the state of the backend's own threads.
    private static void eventually(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time is up").isLessThan(deadline);
            java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
        }
    }
}
