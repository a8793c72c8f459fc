package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.Command;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.policy.Policy;
import dev.glovebox.testkit.RecordingAuditLog.Entry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The order of the gate: authorise, decide, record the intent, act, record the outcome.
class EngineGateTest {
    private final EngineBench bench = new EngineBench();

    @AfterEach
    void close() {
        bench.close();
    }

    private static Policy onlyWasm() {
        return new Policy(Set.of(Tier.WASM), ResourceLimits.DEFAULT, Duration.ofMinutes(5), 1, true);
    }

    @Test
    void aRefusalIsRecordedAndHasNoEffect() {
        try (EngineBench strict = new EngineBench(onlyWasm())) {
            refusal(() -> strict.create(Samples.ALICES_KEY, Duration.ofMinutes(6)))
                    .is(ErrorCode.POLICY_DENIED, "a lease of 360 s", "(rule lease.max)");
            assertThat(strict.backend.created()).isEmpty();
            assertThat(strict.store.alive()).isEmpty();
            assertThat(strict.audit.entries()).singleElement().satisfies(entry -> {
                assertThat(entry.event().kind()).isEqualTo(AuditEvent.Kind.REFUSAL);
                assertThat(entry.event().verb()).isEqualTo("sandbox.create");
                assertThat(entry.event().details()).containsEntry("code", "policy_denied");
            });
            assertThat(strict.observed).containsExactly("refused policy_denied");
        }
    }

    @Test
    void theIntentIsOnTheDiskBeforeTheEffectBegins() {
        bench.backend.surprise(
                "create",
                () -> assertThat(bench.audit.entries()).singleElement().satisfies(entry -> {
                    assertThat(entry.durable()).isTrue();
                    assertThat(entry.event().kind()).isEqualTo(AuditEvent.Kind.INTENT);
                }));
        Sandbox sandbox = bench.create(Samples.ALICES_KEY);
        Entry outcome = bench.audit.entries().getLast();
        assertThat(outcome.event().kind()).isEqualTo(AuditEvent.Kind.OUTCOME);
        assertThat(outcome.event().intent()).isEqualTo(1);
        assertThat(outcome.event().details())
                .containsEntry("sandbox", sandbox.id().value());
    }

    @Test
    void measurementsDoNotFillTheLogUnlessTheyAreRefused() {
        Sandbox sandbox = bench.create(Samples.ALICES_KEY);
        int before = bench.audit.entries().size();
        bench.engine.execute(Samples.ALICES_KEY, new Command.MeasureSandbox(sandbox.id()));
        assertThat(bench.audit.entries()).hasSize(before);
        refusal(() -> bench.engine.execute(Samples.BOBS_KEY, new Command.MeasureSandbox(sandbox.id())))
                .is(ErrorCode.SANDBOX_NOT_FOUND, "not yours");
        assertThat(bench.audit.entries().getLast().event().kind()).isEqualTo(AuditEvent.Kind.REFUSAL);
    }

    @Test
    void withoutTheIntentThereIsNoEffect() {
        bench.audit.failFor(event -> event.kind() == AuditEvent.Kind.INTENT);
        refusal(() -> bench.create(Samples.ALICES_KEY)).is(ErrorCode.OVERLOADED, "audit log");
        refusal(() -> bench.run(Samples.ALICES_KEY, EngineBench.run(GuestTask.HELLO), new Recording()))
                .is(ErrorCode.OVERLOADED, "audit log");
        assertThat(bench.backend.created()).isEmpty();
        assertThat(bench.store.alive()).isEmpty();
    }

    @Test
    void aFailureIsRecordedAsTheOutcome() {
        bench.backend.surprise("create", () -> {
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "no cell would start");
        });
        refusal(() -> bench.create(Samples.ALICES_KEY)).is(ErrorCode.BACKEND_LOST, "no cell would start");
        Entry outcome = bench.audit.entries().getLast();
        assertThat(outcome.event().kind()).isEqualTo(AuditEvent.Kind.OUTCOME);
        assertThat(outcome.event().intent()).isEqualTo(1);
        assertThat(outcome.event().details())
                .containsEntry("code", "backend_lost")
                .containsEntry("why", "no cell would start");
        assertThat(bench.engine.sandboxesRunning()).isZero();
        assertThat(bench.observed).containsExactly("ended START_FAILED", "refused backend_lost");
    }

    @Test
    void ourOwnBugIsRecordedWithoutItsWords() {
        bench.backend.surprise("create", () -> {
            throw new IllegalStateException("password=hunter2");
        });
        assertThatThrownBy(() -> bench.create(Samples.ALICES_KEY)).isInstanceOf(IllegalStateException.class);
        assertThat(bench.audit.entries().getLast().event().details())
                .containsEntry("code", "internal")
                .containsEntry("why", "java.lang.IllegalStateException")
                .doesNotContainValue("password=hunter2");
    }

    @Test
    void lookingNeedsNoDiskAndActingDoes() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        bench.engine.execute(Samples.ALICES_KEY, new Command.GetSandbox(id));
        bench.engine.execute(
                Samples.ALICES_KEY,
                new Command.WriteFile(id, new GuestPath("/home/user/f"), ByteSource.of(new byte[3])));
        bench.engine.execute(Samples.ALICES_KEY, new Command.ReadFile(id, new GuestPath("/home/user/f"), _ -> {}));
        assertThat(bench.audit.entries("sandbox.get").getFirst().durable()).isFalse();
        assertThat(bench.audit.entries("file.write").getFirst().durable()).isTrue();
        assertThat(bench.audit.entries("file.read").getFirst().durable()).isTrue();
    }

    @Test
    void codeIsRecordedByLengthAndHash() {
        RunSpec.Report report = bench.run(Samples.ALICES_KEY, EngineBench.run(GuestTask.HELLO), new Recording());
        Entry intent = bench.audit.entries().getFirst();
        assertThat(report.auditId()).isEqualTo(intent.number());
        assertThat(intent.event().details())
                .containsEntry("codeBytes", "5")
                .containsEntry("codeSha256", "3733cd977ff8eb18b987357e22ced99f46097f31ecb239e878ae63760e83e4d5")
                .doesNotContainValue("HELLO");
        assertThat(bench.audit.entries().getLast().event().details())
                .containsEntry("outcome", "exited")
                .containsEntry("exitStatus", "0")
                .containsEntry("outputBytes", "14");
    }

    /// One command of each kind that is about a sandbox.
    private static List<Command<?>> about(SandboxId id) {
        GuestPath path = new GuestPath("/home/user/f");
        ContextId context = new ContextId("c1");
        return List.of(
                new Command.GetSandbox(id),
                new Command.ExtendLease(id, Duration.ofMinutes(1)),
                EngineBench.start(id, GuestTask.HELLO),
                new Command.WriteInput(id, new ProcessId(1), new byte[0], true),
                new Command.SignalProcess(id, new ProcessId(1), 9),
                new Command.ListProcesses(id),
                new Command.StatFile(id, path),
                new Command.ListDirectory(id, path, 1),
                new Command.ReadFile(id, path, _ -> {}),
                new Command.WriteFile(id, path, ByteSource.of(new byte[0])),
                new Command.MakeDirectory(id, path),
                new Command.MoveFile(id, path, path),
                new Command.RemoveFile(id, path),
                new Command.OpenContext(id, Language.PYTHON, path),
                new Command.ListContexts(id),
                new Command.Execute(id, context, "", Map.of(), ResourceLimits.DEFAULT),
                new Command.InterruptContext(id, context),
                new Command.CloseContext(id, context),
                new Command.ReplaceNetwork(id, NetworkPolicy.CLOSED),
                new Command.InspectNetwork(id),
                new Command.KillSandbox(id));
    }

    @Test
    void foreignUnknownAndDeadSandboxesAreRefusedInTheSameWords() {
        SandboxId alive = bench.create(Samples.ALICES_KEY).id();
        SandboxId dead = bench.create(Samples.BOBS_KEY).id();
        bench.engine.execute(Samples.BOBS_KEY, new Command.KillSandbox(dead));
        SandboxId unknown = Samples.sandboxId(404);
        Principal bobAsAdmin = new Principal(Samples.BOB, "e2b_bob", Principal.Role.ADMIN);
        for (Principal bob : List.of(Samples.BOBS_KEY, bobAsAdmin)) {
            for (SandboxId id : List.of(alive, dead, unknown)) {
                for (Command<?> command : about(id)) {
                    assertThat(bench.engine)
                            .as(command.verb())
                            .satisfies(engine -> refusal(() -> engine.execute(bob, command))
                                    .is(
                                            ErrorCode.SANDBOX_NOT_FOUND,
                                            "sandbox " + id + " does not exist, has ended, or is not yours"));
                }
            }
        }
        assertThat(bench.backend.live()).containsExactly(alive);
        assertThat(bench.audit.entries("file.read"))
                .allSatisfy(entry -> assertThat(entry.event().kind()).isEqualTo(AuditEvent.Kind.REFUSAL));
    }

    @Test
    void aListShowsATenantItsOwn() {
        SandboxId mine = bench.create(Samples.ALICES_KEY).id();
        bench.create(Samples.BOBS_KEY);
        Command.ListSandboxes list = new Command.ListSandboxes(Map.of("user", "u1"), 10, Optional.empty());
        assertThat(bench.engine.execute(Samples.ALICES_KEY, list).items())
                .extracting(Sandbox::id)
                .containsExactly(mine);
    }

    @Test
    void keysAreTheAdministrators() {
        Command.CreateKey create = new Command.CreateKey(Samples.ALICE, Principal.Role.TENANT, "ci");
        refusal(() -> bench.engine.execute(Samples.ALICES_KEY, create)).is(ErrorCode.FORBIDDEN, "role admin");
        assertThat(bench.store.list()).isEmpty();
        Command.NewKey key = bench.engine.execute(Samples.ADMIN, create);
        assertThat(bench.engine.execute(Samples.ADMIN, new Command.ListKeys()))
                .extracting(ApiKey::id)
                .containsExactly(key.key().id());
        assertThat(bench.audit.entries().toString()).doesNotContain(key.secret());
        bench.engine.execute(Samples.ADMIN, new Command.RevokeKey(key.key().id()));
        assertThat(bench.store.list()).isEmpty();
        refusal(() -> bench.engine.execute(Samples.ADMIN, new Command.RevokeKey("nobody")))
                .is(ErrorCode.KEY_NOT_FOUND);
    }

    // ---- one-shot runs

    @Test
    void aRunWritesFilesRunsAndFetches() {
        GuestPath in = new GuestPath("/home/user/in.txt");
        GuestPath out = new GuestPath("/home/user/out.txt");
        Recording recording = new Recording();
        RunSpec.Report report = bench.run(
                Samples.ALICES_KEY,
                EngineBench.run(
                        GuestTask.READ_FILE, new byte[0], Map.of(in, new byte[] {'h', 'i'}), List.of(in, out), false),
                recording);
        assertThat(recording.stdout()).isEqualTo("hi");
        assertThat(report.tier()).isEqualTo(Tier.WASM);
        assertThat(report.tierReason()).isEqualTo("the cheapest tier here that runs python");
        assertThat(report.files()).containsOnlyKeys(in);
        awaitWiped();
        assertThat(bench.backend.live()).as("wiped").isEmpty();
        assertThat(bench.store.alive()).as("never stored").isEmpty();
    }

    @Test
    void aRunGetsItsInputWhileItWrites() {
        Recording recording = new Recording();
        byte[] input = "line\n".repeat(1_000).getBytes(StandardCharsets.US_ASCII);
        RunSpec.Report report = bench.run(
                Samples.ALICES_KEY, EngineBench.run(GuestTask.CAT, input, Map.of(), List.of(), false), recording);
        assertThat(report.result().outcome()).isEqualTo(new Outcome.Exited(0));
        assertThat(recording.stdoutBytes()).isEqualTo(input);
    }

    @Test
    void aRunThatCapturesTellsTheValue() {
        Recording recording = new Recording();
        RunSpec.Report report = bench.run(
                Samples.ALICES_KEY,
                EngineBench.run(GuestTask.X_PLUS_1, new byte[0], Map.of(), List.of(), true),
                recording);
        assertThat(report.result().error().orElseThrow().name()).isEqualTo("NameError");
    }

    /// Sandboxes are taken apart, and places given back, behind the answer.
    private void awaitWiped() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (!bench.backend.live().isEmpty() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }

    @Test
    void aFailedRunLeavesNothingBehind() {
        bench.backend.surprise("start", () -> {
            throw new GloveboxException(ErrorCode.UNSUPPORTED, "tier wasm does not run this");
        });
        for (int i = 0; i < 2; i++) {
            Recording recording = new Recording();
            if (i == 0) {
                refusal(() -> bench.run(Samples.ALICES_KEY, EngineBench.run(GuestTask.HELLO), recording))
                        .is(ErrorCode.UNSUPPORTED);
            } else {
                bench.run(Samples.ALICES_KEY, EngineBench.run(GuestTask.HELLO), recording);
            }
            awaitWiped();
            assertThat(bench.backend.live()).isEmpty();
        }
    }

    @Test
    void runsAboveTheBoundAreRefusedAndTheQuotaComesBack() {
        int max = Limits.RUNS_PER_TENANT_MAX;
        List<Recording> recordings =
                IntStream.range(0, max).mapToObj(_ -> new Recording()).toList();
        List<CompletableFuture<RunSpec.Report>> running = recordings.stream()
                .map(recording -> BackendBench.beside(
                        () -> bench.run(Samples.ALICES_KEY, EngineBench.run(GuestTask.READY_AND_WAIT), recording)))
                .toList();
        recordings.forEach(recording -> recording.awaitStdout("ready"));
        refusal(() -> bench.run(Samples.ALICES_KEY, EngineBench.run(GuestTask.HELLO), new Recording()))
                .is(ErrorCode.QUOTA_EXCEEDED, max + " runs under way");
        bench.run(Samples.BOBS_KEY, EngineBench.run(GuestTask.HELLO), new Recording());
        bench.backend.created().forEach(sandbox -> sandbox.lose("the test is over"));
        running.forEach(future ->
                assertThat(BackendBench.await(future).result().outcome()).isInstanceOf(Outcome.BackendLost.class));
        awaitWiped();
        bench.run(Samples.ALICES_KEY, EngineBench.run(GuestTask.HELLO), new Recording());
    }

    @Test
    void aStoppingServerRefuses() {
        bench.engine.close();
        refusal(() -> bench.create(Samples.ALICES_KEY)).is(ErrorCode.OVERLOADED, "this server is stopping");
        assertThat(bench.backend.isClosed()).isTrue();
    }
}
