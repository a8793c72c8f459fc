package dev.glovebox.engine;

import dev.glovebox.core.SandboxId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Ends sandboxes when their leases run out: one thread that sleeps until the next one is due. Thread-safe.
final class Leases implements AutoCloseable {
    private record Due(Instant at, SandboxId sandbox) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return at.compareTo(other.at);
        }
    }

    /// The wall clock may jump, for example when the machine was asleep: no lease is late by more than this.
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    private final Clock clock;
    private final Consumer<SandboxId> expire;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Due> queue = new PriorityQueue<>();
    private final Map<SandboxId, Instant> current = new HashMap<>();
    private final Thread thread;

    /// @param expire called for each lease that ran out, each on a thread of its own
    Leases(Clock clock, Consumer<SandboxId> expire) {
        this.clock = clock;
        this.expire = expire;
        this.thread = Thread.ofVirtual().name("leases").start(this::loop);
    }

    /// The lease of a sandbox now ends at `at`, whatever it was before.
    void set(SandboxId sandbox, Instant at) {
        lock.lock();
        try {
            drop(sandbox, current.put(sandbox, at));
            queue.add(new Due(at, sandbox));
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void forget(SandboxId sandbox) {
        lock.lock();
        try {
            drop(sandbox, current.remove(sandbox));
        } finally {
            lock.unlock();
        }
    }

    /// Takes what no longer counts out of the queue: whoever extends a lease all day must not fill it.
    private void drop(SandboxId sandbox, @Nullable Instant before) {
        if (before != null) {
            queue.remove(new Due(before, sandbox));
        }
    }

    /// How many leases are waited for.
    int pending() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    private void loop() {
        try {
            while (true) {
                SandboxId due = awaitNext();
                Thread.ofVirtual().name("lease-" + due).start(() -> expire.accept(due));
            }
        } catch (InterruptedException _) {
            // Closed: this thread's only way to end.
        }
    }

    private SandboxId awaitNext() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                Due next = queue.peek();
                if (next == null) {
                    changed.await();
                } else if (clock.instant().isBefore(next.at)) {
                    Duration rest = Duration.between(clock.instant(), next.at);
                    changed.awaitNanos(Math.clamp(rest.toNanos(), 1, LOOK_AGAIN.toNanos()));
                } else {
                    queue.poll();
                    current.remove(next.sandbox);
                    return next.sandbox;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /// Nothing ends any more when this returns, but for what is under way already.
    @Override
    public void close() {
        lock.lock();
        try {
            queue.clear();
            current.clear();
        } finally {
            lock.unlock();
        }
        thread.interrupt();
    }
}
