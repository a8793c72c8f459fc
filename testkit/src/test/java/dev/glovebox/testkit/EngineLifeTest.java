package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.glovebox.core.Command;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.Tier;
import dev.glovebox.core.policy.Policy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/// How sandboxes begin, live and end in the engine.
class EngineLifeTest {
    private final EngineBench bench = new EngineBench();

    @AfterEach
    void close() {
        bench.close();
    }

    private Command.Done kill(SandboxId id) {
        return bench.engine.execute(Samples.ALICES_KEY, new Command.KillSandbox(id));
    }

    private SandboxState state(SandboxId id) {
        return bench.store.find(id).orElseThrow().state();
    }

    private void isDead(SandboxId id, StopReason reason) {
        assertThat(state(id)).isInstanceOf(SandboxState.Dead.class);
        assertThat(((SandboxState.Dead) state(id)).reason()).isEqualTo(reason);
        assertThat(bench.backend.live()).doesNotContain(id);
    }

    @Test
    void aSandboxRunsAndIsKilled() {
        Sandbox sandbox = bench.create(Samples.ALICES_KEY);
        assertThat(sandbox.state()).isInstanceOf(SandboxState.Running.class);
        assertThat(bench.engine.sandboxesRunning()).isEqualTo(1);
        assertThat(bench.backend.live()).containsExactly(sandbox.id());
        kill(sandbox.id());
        isDead(sandbox.id(), StopReason.KILLED);
        assertThat(bench.engine.sandboxesRunning()).isZero();
        assertThat(bench.observed).containsExactly("created wasm", "ended KILLED");
    }

    @Test
    void whatRunsInASandboxEndsWithIt() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        Recording recording = new Recording();
        CompletableFuture<Execution.Result> process = BackendBench.beside(() ->
                bench.engine.execute(Samples.ALICES_KEY, EngineBench.start(id, GuestTask.READY_AND_WAIT), recording));
        recording.awaitStdout("ready");
        assertThat(bench.engine.execute(Samples.ALICES_KEY, new Command.ListProcesses(id)))
                .singleElement()
                .satisfies(entry -> assertThat(entry.program()).isEqualTo("main.python"));
        kill(id);
        assertThat(BackendBench.await(process).outcome()).isInstanceOf(Outcome.BackendLost.class);
    }

    @Test
    void connectionsToPortsAreBoundedAndEndWithTheSandbox() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        Recording recording = new Recording();
        CompletableFuture<Execution.Result> server = BackendBench.beside(() ->
                bench.engine.execute(Samples.ALICES_KEY, EngineBench.start(id, GuestTask.SERVE_PORTS), recording));
        recording.awaitStdout("ready");
        List<RecordingPeer> peers = IntStream.range(0, Limits.PORT_CONNECTIONS_PER_SANDBOX_MAX)
                .mapToObj(_ -> new RecordingPeer())
                .toList();
        List<CompletableFuture<Command.Done>> open = peers.stream()
                .map(peer -> BackendBench.beside(() -> connect(id, peer)))
                .toList();
        peers.forEach(RecordingPeer::awaitConnected);
        refusal(() -> connect(id, new RecordingPeer())).is(ErrorCode.QUOTA_EXCEEDED, "256 open connections");
        peers.getFirst().sayNoMore();
        BackendBench.await(open.getFirst());
        connect(id, new RecordingPeer().sayNoMore());
        kill(id);
        open.subList(1, open.size())
                .forEach(connection ->
                        refusal(() -> BackendBench.await(connection)).is(ErrorCode.BACKEND_LOST));
        refusal(() -> connect(id, new RecordingPeer())).is(ErrorCode.SANDBOX_NOT_FOUND);
        assertThat(BackendBench.await(server).outcome()).isInstanceOf(Outcome.BackendLost.class);
    }

    private Command.Done connect(SandboxId id, RecordingPeer peer) {
        return bench.engine.execute(Samples.ALICES_KEY, new Command.ConnectPort(id, GuestPorts.ECHO, peer));
    }

    @Test
    void aLeaseEndsASandboxWithinASecond() {
        Sandbox sandbox = bench.create(Samples.ALICES_KEY, Duration.ofMillis(200));
        EngineBench.await("the end", () -> state(sandbox.id()) instanceof SandboxState.Dead);
        SandboxState.Dead dead = (SandboxState.Dead) state(sandbox.id());
        isDead(sandbox.id(), StopReason.LEASE_EXPIRED);
        assertThat(dead.since())
                .isBetween(sandbox.expiresAt(), sandbox.expiresAt().plusSeconds(1));
        EngineBench.await(
                "the notice", () -> !bench.audit.entries("sandbox.expired").isEmpty());
        assertThat(bench.engine.sandboxesRunning()).isZero();
    }

    @Test
    void anExtendedLeaseEndsLater() {
        Sandbox sandbox = bench.create(Samples.ALICES_KEY, Duration.ofMillis(300));
        Instant asked = Instant.now();
        Sandbox extended = bench.engine.execute(
                Samples.ALICES_KEY, new Command.ExtendLease(sandbox.id(), Duration.ofMillis(1_500)));
        assertThat(extended.expiresAt()).isAfterOrEqualTo(asked.plusMillis(1_500));
        assertThat(bench.store.find(sandbox.id()).orElseThrow().expiresAt())
                .isCloseTo(extended.expiresAt(), within(1, ChronoUnit.MILLIS));
        EngineBench.await("the end", () -> state(sandbox.id()) instanceof SandboxState.Dead);
        assertThat(((SandboxState.Dead) state(sandbox.id())).since())
                .isAfterOrEqualTo(extended.expiresAt().truncatedTo(ChronoUnit.MILLIS));
    }

    @Test
    void aLeaseCanBeMadeShorter() {
        Sandbox sandbox = bench.create(Samples.ALICES_KEY, Duration.ofHours(1));
        bench.engine.execute(Samples.ALICES_KEY, new Command.ExtendLease(sandbox.id(), Duration.ofMillis(50)));
        EngineBench.await("the end", () -> state(sandbox.id()) instanceof SandboxState.Dead);
        isDead(sandbox.id(), StopReason.LEASE_EXPIRED);
    }

    @Test
    void aSandboxWhoseExtensionFailedEndsAtItsFirstLease() {
        Sandbox sandbox = bench.create(Samples.ALICES_KEY, Duration.ofMillis(300));
        bench.storeIsFull = true;
        refusal(() -> bench.engine.execute(
                        Samples.ALICES_KEY, new Command.ExtendLease(sandbox.id(), Duration.ofHours(1))))
                .is(ErrorCode.OVERLOADED, "it is full");
        bench.storeIsFull = false;
        EngineBench.await("the end", () -> state(sandbox.id()) instanceof SandboxState.Dead);
        isDead(sandbox.id(), StopReason.LEASE_EXPIRED);
    }

    @Test
    void aSandboxThatCannotBeStoredIsNotLeftBehind() {
        bench.storeIsFull = true;
        refusal(() -> bench.create(Samples.ALICES_KEY)).is(ErrorCode.OVERLOADED, "it is full");
        assertThat(bench.backend.live()).isEmpty();
        assertThat(bench.engine.sandboxesRunning()).isZero();
    }

    @Test
    void aLostSandboxIsDeadAndSaysWhy() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        bench.backend.sandbox(id).lose("its cell died with signal 9");
        isDead(id, StopReason.BACKEND_LOST);
        assertThat(bench.audit.entries("sandbox.lost").getFirst().event().details())
                .containsEntry("why", "its cell died with signal 9");
        assertThat(bench.engine.sandboxesRunning()).isZero();
        refusal(() -> kill(id)).is(ErrorCode.SANDBOX_NOT_FOUND);
    }

    @Test
    void aSandboxThatIsLostWhileItIsMadeIsNotLeftBehind() {
        bench.backend.surprise("create", () -> {});
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        bench.backend.sandbox(id).lose("at once");
        assertThat(bench.engine.sandboxesRunning()).isZero();
        assertThat(bench.store.alive()).isEmpty();
    }

    @RepeatedTest(20)
    void oneOfManyKillsEndsASandboxAndItsQuotaComesBackOnce() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        AtomicInteger done = new AtomicInteger();
        Together.run(8, thread -> {
            try {
                if (thread % 2 == 0) {
                    kill(id);
                    done.incrementAndGet();
                } else {
                    bench.engine.execute(
                            Samples.ALICES_KEY, new Command.ExtendLease(id, Duration.ofMinutes(1 + thread)));
                }
            } catch (GloveboxException refusal) {
                assertThat(refusal.code()).isEqualTo(ErrorCode.SANDBOX_NOT_FOUND);
            }
            return thread;
        });
        assertThat(done.get()).isPositive();
        isDead(id, StopReason.KILLED);
        assertThat(bench.engine.sandboxesRunning()).isZero();
        assertThat(bench.observed).containsOnlyOnce("ended KILLED");
    }

    @Test
    void theQuotaOfATenantHolds() {
        Policy two = new Policy(Set.of(Tier.WASM), ResourceLimits.DEFAULT, Duration.ofMinutes(5), 2, true);
        try (EngineBench strict = new EngineBench(two)) {
            AtomicInteger refused = new AtomicInteger();
            Together.run(8, _ -> {
                try {
                    return strict.create(Samples.ALICES_KEY).id().value();
                } catch (GloveboxException refusal) {
                    assertThat(refusal.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
                    refused.incrementAndGet();
                    return "";
                }
            });
            assertThat(refused.get()).isEqualTo(6);
            assertThat(strict.backend.live()).hasSize(2);
            assertThat(strict.backend.created())
                    .allSatisfy(sandbox ->
                            assertThat(sandbox.requirements().alone()).isTrue());
        }
    }

    @Test
    void whatAnEarlierServerLeftIsSettled() {
        Sandbox left = Samples.running(1);
        Sandbox dead = Samples.running(2).withState(new SandboxState.Dead(StopReason.KILLED, Samples.NOON));
        bench.store.save(left);
        bench.store.save(dead);
        bench.engine.reclaim();
        isDead(left.id(), StopReason.SERVER_STOPPED);
        isDead(dead.id(), StopReason.KILLED);
        assertThat(bench.audit.entries("sandbox.reclaimed"))
                .singleElement()
                .satisfies(entry ->
                        assertThat(entry.event().subject()).isEqualTo(left.id().value()));
    }

    @Test
    void theEndOfTheServerEndsEverySandbox() {
        SandboxId first = bench.create(Samples.ALICES_KEY).id();
        SandboxId second = bench.create(Samples.BOBS_KEY).id();
        bench.engine.close();
        bench.engine.close();
        isDead(first, StopReason.SERVER_STOPPED);
        isDead(second, StopReason.SERVER_STOPPED);
        assertThat(bench.backend.isClosed()).isTrue();
    }

    @Test
    void oneSandboxThatDoesNotEndKeepsNoOtherAlive() {
        for (int i = 0; i < 3; i++) {
            bench.create(Samples.ALICES_KEY);
        }
        bench.backend.surprise("close", () -> {
            throw new IllegalStateException("the cell does not answer");
        });
        assertThatThrownBy(bench.engine::close).hasMessageContaining("does not answer");
        assertThat(bench.store.alive()).isEmpty();
        assertThat(bench.backend.isClosed()).isTrue();
        assertThat(bench.engine.sandboxesRunning()).isZero();
    }

    @Test
    void aKillThatFailsStillSettlesTheSandbox() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        bench.backend.surprise("close", () -> {
            throw new IllegalStateException("the cell does not answer");
        });
        assertThatThrownBy(() -> kill(id)).hasMessageContaining("does not answer");
        assertThat(state(id)).isInstanceOf(SandboxState.Dead.class);
        assertThat(bench.engine.sandboxesRunning()).isZero();
    }

    // ---- contexts

    private Command.CodeContext open(SandboxId id) {
        return bench.engine.execute(Samples.ALICES_KEY, new Command.OpenContext(id, Language.PYTHON, GuestPath.HOME));
    }

    private Execution.Result execute(SandboxId id, ContextId context, GuestTask task, ResourceLimits limits) {
        return bench.engine.execute(
                Samples.ALICES_KEY, new Command.Execute(id, context, task.name(), Map.of(), limits));
    }

    @Test
    void contextsAreListedUntilTheyAreClosed() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        Command.CodeContext context = open(id);
        assertThat(bench.engine.execute(Samples.ALICES_KEY, new Command.ListContexts(id)))
                .containsExactly(context);
        execute(id, context.id(), GuestTask.SET_X, ResourceLimits.DEFAULT);
        bench.engine.execute(Samples.ALICES_KEY, new Command.CloseContext(id, context.id()));
        assertThat(bench.engine.execute(Samples.ALICES_KEY, new Command.ListContexts(id)))
                .isEmpty();
        refusal(() -> execute(id, context.id(), GuestTask.SET_X, ResourceLimits.DEFAULT))
                .is(ErrorCode.CONTEXT_NOT_FOUND, "has no context " + context.id());
    }

    @Test
    void contextsHaveABoundThatLostOnesDoNotCountFor() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        ResourceLimits d = ResourceLimits.DEFAULT;
        ResourceLimits brief = new ResourceLimits(
                Duration.ofMillis(5), d.cpuTime(), d.memoryBytes(), d.outputBytes(), d.diskBytes(), d.fileCount());
        for (int i = 0; i < Limits.CONTEXTS_PER_SANDBOX_MAX; i++) {
            ContextId lost = open(id).id();
            execute(id, lost, GuestTask.SPIN_STUBBORNLY, brief);
            refusal(() -> execute(id, lost, GuestTask.HELLO, d)).is(ErrorCode.CONTEXT_NOT_FOUND);
        }
        for (int i = 0; i < Limits.CONTEXTS_PER_SANDBOX_MAX; i++) {
            open(id);
        }
        refusal(() -> open(id)).is(ErrorCode.QUOTA_EXCEEDED, "already has 16 open contexts", "close one");
    }

    @Test
    void processesHaveABound() {
        SandboxId id = bench.create(Samples.ALICES_KEY).id();
        List<Recording> recordings = IntStream.range(0, Limits.PROCESSES_PER_SANDBOX_MAX)
                .mapToObj(_ -> new Recording())
                .toList();
        List<CompletableFuture<Execution.Result>> running = recordings.stream()
                .map(recording -> BackendBench.beside(() -> bench.engine.execute(
                        Samples.ALICES_KEY, EngineBench.start(id, GuestTask.READY_AND_WAIT), recording)))
                .toList();
        recordings.forEach(recording -> recording.awaitStdout("ready"));
        refusal(() -> bench.engine.execute(Samples.ALICES_KEY, EngineBench.start(id, GuestTask.HELLO)))
                .is(ErrorCode.QUOTA_EXCEEDED, "already runs " + Limits.PROCESSES_PER_SANDBOX_MAX + " processes");
        kill(id);
        running.forEach(BackendBench::await);
    }
}
