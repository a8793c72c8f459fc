package dev.glovebox.testkit;

import dev.glovebox.core.Language;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.backend.TierStatus;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/// A backend that isolates nothing and runs nothing but the suites' tasks by their names ([#programs]): for
/// tests of what stands before a backend. It passes BackendConformance itself, so what it pretends is what the
/// tiers do. Thread-safe.
public final class FakeBackend implements SandboxBackend {
    /// What it can do.
    public static final Set<Capability> CAPABILITIES = Set.copyOf(
            EnumSet.of(Capability.PYTHON, Capability.CONTEXTS, Capability.FILES, Capability.STDIN, Capability.PORTS));

    /// Programs for it: the name of the task.
    public static GuestPrograms programs(Language language) {
        return new TaskNames(language, "main." + language.word());
    }

    private record TaskNames(Language language, String fileName) implements GuestPrograms {
        @Override
        public String code(GuestTask task) {
            return task.name();
        }
    }

    private final Set<Tier> tiers;
    private final Map<SandboxId, FakeSandbox> live = new ConcurrentHashMap<>();
    private final List<FakeSandbox> created = new CopyOnWriteArrayList<>();
    private final Map<String, Queue<Runnable>> surprises = new ConcurrentHashMap<>();
    private volatile boolean closed;

    public FakeBackend(Tier... tiers) {
        this.tiers = Set.of(tiers);
    }

    /// The next call of `what` (`create`, `start`, `replaceNetwork`, `close`) does this first: waits, or throws.
    public void surprise(String what, Runnable action) {
        surprises.computeIfAbsent(what, _ -> new ConcurrentLinkedQueue<>()).add(action);
    }

    void pass(String what) {
        Queue<Runnable> waiting = surprises.get(what);
        Runnable action = waiting == null ? null : waiting.poll();
        if (action != null) {
            action.run();
        }
    }

    /// Every sandbox that was ever made, in that order.
    public List<FakeSandbox> created() {
        return List.copyOf(created);
    }

    /// Those that have not ended.
    public Set<SandboxId> live() {
        return Set.copyOf(live.keySet());
    }

    public FakeSandbox sandbox(SandboxId id) {
        FakeSandbox sandbox = live.get(id);
        if (sandbox == null) {
            throw new IllegalArgumentException("no sandbox " + id + " lives");
        }
        return sandbox;
    }

    public boolean isClosed() {
        return closed;
    }

    boolean runs(Tier tier, Language language) {
        return capabilities(tier).contains(BackendBench.capabilityOf(language));
    }

    void forget(FakeSandbox sandbox) {
        live.remove(sandbox.requirements().sandbox(), sandbox);
    }

    @Override
    public Set<Tier> tiers() {
        return tiers;
    }

    @Override
    public Set<Capability> capabilities(Tier tier) {
        return CAPABILITIES;
    }

    @Override
    public boolean isReady(Tier tier) {
        return true;
    }

    @Override
    public List<TierStatus> probe() {
        return tiers.stream()
                .map(tier -> new TierStatus(tier, true, "a fake always works", ""))
                .toList();
    }

    @Override
    public SandboxHandle create(Requirements requirements) {
        pass("create");
        requirements.refuseLargeDisk();
        FakeSandbox sandbox = new FakeSandbox(this, requirements);
        created.add(sandbox);
        live.put(requirements.sandbox(), sandbox);
        return sandbox;
    }

    @Override
    public void close() {
        closed = true;
        live.values().forEach(FakeSandbox::close);
    }
}
