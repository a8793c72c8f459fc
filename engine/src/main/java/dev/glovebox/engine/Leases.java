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

/// Ends sandboxes when their leases run out: one thread that sleeps until the next one is due. Thread-safe.
final class Leases implements AutoCloseable {
    private record Due(Instant at, SandboxId sandbox) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return at.compareTo(other.at);
        }
    }

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
            current.put(sandbox, at);
            queue.add(new Due(at, sandbox));
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void forget(SandboxId sandbox) {
        lock.lock();
        try {
            current.remove(sandbox);
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
                } else if (!next.at.equals(current.get(next.sandbox))) {
                    queue.poll();
                } else if (clock.instant().isBefore(next.at)) {
                    Duration rest = Duration.between(clock.instant(), next.at);
                    changed.awaitNanos(Math.max(1, rest.toNanos()));
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

    @Override
    public void close() {
        thread.interrupt();
    }
}
