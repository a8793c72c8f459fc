package dev.glovebox.testkit;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.Page;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.policy.Policy;
import dev.glovebox.core.store.SandboxStore;
import dev.glovebox.engine.Engine;
import dev.glovebox.engine.EngineObserver;
import dev.glovebox.engine.Policies;
import dev.glovebox.engine.SandboxOwners;
import dev.glovebox.store.MemoryNetworkStore;
import dev.glovebox.store.MemoryStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// An engine on a fake backend, a memory store and an audit log that can be read.
final class EngineBench implements AutoCloseable {
    final FakeBackend backend = new FakeBackend(Tier.WASM, Tier.GVISOR);
    final MemoryStore store = new MemoryStore();
    final Engine.Network network = network();
    final RecordingAuditLog audit = new RecordingAuditLog();
    final List<String> observed = Collections.synchronizedList(new ArrayList<>());
    final Engine engine;
    volatile boolean storeIsFull;

    EngineBench() {
        this(Policies.STANDARD);
    }

    EngineBench(Policy policy) {
        this.engine = new Engine(new Engine.Options(
                List.of(backend),
                new FullStore(),
                store,
                network,
                audit,
                new Policies(Map.of(), policy),
                new Observer(),
                Clock.systemUTC(),
                new SecureRandom()));
    }

    /// Secrets and tunnels in memory.
    static Engine.Network network() {
        MemoryNetworkStore kept = new MemoryNetworkStore();
        return new Engine.Network(new SandboxOwners(), kept.tunnels(), kept.secrets());
    }

    /// The memory store, until a test fills the disk.
    private final class FullStore implements SandboxStore {
        @Override
        public void save(Sandbox sandbox) {
            if (storeIsFull) {
                throw new GloveboxException(ErrorCode.OVERLOADED, "the database cannot be used now: it is full");
            }
            store.save(sandbox);
        }

        @Override
        public Optional<Sandbox> find(SandboxId id) {
            return store.find(id);
        }

        @Override
        public Page<Sandbox> list(
                TenantId tenant, Map<String, String> metadata, int pageSize, Optional<String> cursor) {
            return store.list(tenant, metadata, pageSize, cursor);
        }

        @Override
        public List<Sandbox> alive() {
            return store.alive();
        }
    }

    private final class Observer implements EngineObserver {
        @Override
        public void ran(Tier tier, Language language, Outcome outcome, Duration duration, boolean pooled) {
            observed.add("ran " + tier.word() + " " + outcome.word());
        }

        @Override
        public void created(Tier tier, Duration duration) {
            observed.add("created " + tier.word());
        }

        @Override
        public void ended(Tier tier, StopReason reason) {
            observed.add("ended " + reason);
        }

        @Override
        public void refused(ErrorCode code) {
            observed.add("refused " + code.word());
        }
    }

    static SandboxSpec spec(Duration lease) {
        return new SandboxSpec(
                Optional.empty(), Language.PYTHON, lease, ResourceLimits.DEFAULT, Map.of(), Map.of("user", "u1"));
    }

    Sandbox create(Principal principal) {
        return create(principal, Limits.LEASE_DEFAULT);
    }

    Sandbox create(Principal principal, Duration lease) {
        return engine.execute(principal, new Command.CreateSandbox(spec(lease)));
    }

    static Command.StartProcess start(SandboxId sandbox, GuestTask task) {
        return new Command.StartProcess(
                sandbox,
                new Execution.ProcessSpec(
                        List.of(),
                        Optional.of(FakeBackend.programs(Language.PYTHON).program(task)),
                        Map.of(),
                        GuestPath.HOME,
                        false,
                        ResourceLimits.DEFAULT));
    }

    static RunSpec run(GuestTask task) {
        return run(task, new byte[0], Map.of(), List.of(), false);
    }

    static RunSpec run(
            GuestTask task, byte[] input, Map<GuestPath, byte[]> files, List<GuestPath> fetch, boolean capture) {
        return new RunSpec(
                Optional.empty(),
                FakeBackend.programs(Language.PYTHON).program(task),
                List.of(),
                Map.of(),
                input,
                files,
                fetch,
                capture,
                ResourceLimits.DEFAULT,
                NetworkPolicy.CLOSED);
    }

    RunSpec.Report run(Principal principal, RunSpec spec, ExecutionSink sink) {
        return engine.execute(principal, new Command.Run(spec), sink);
    }

    /// Waits for something that other threads bring about.
    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("waited in vain for " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
