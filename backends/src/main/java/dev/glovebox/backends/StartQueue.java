package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.TenantId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Who may start a sandbox now, when more are wanted than are ready. A few start at once, because many at once only
/// slow
/// each other; the others wait, and tenants take turns, so that one with a hundred does not keep the others from their
/// first. Thread-safe.
final class StartQueue {
    private final ReentrantLock lock = new ReentrantLock();
    /// Those who wait, by tenant; the tenant whose turn it is comes first. None of the lists is empty.
    private final Map<TenantId, Deque<Waiting>> waiting = new LinkedHashMap<>();
    private final int placesMax;
    private final int waitingMax;
    private final Duration patience;
    private int placesTaken;
    private int waitingCount;

    /// One who waits. Guarded by the lock.
    private final class Waiting {
        final Condition changed = lock.newCondition();
        boolean hasPlace;
    }

    /// The right to start one sandbox; closing it hands it on.
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /// @param placesMax how many start at once
    /// @param waitingMax how many may wait
    /// @param patience how long each waits
    StartQueue(int placesMax, int waitingMax, Duration patience) {
        this.placesMax = placesMax;
        this.waitingMax = waitingMax;
        this.patience = patience;
    }

    /// As the product has it.
    static StartQueue standard() {
        int processors = Runtime.getRuntime().availableProcessors();
        return new StartQueue(Math.max(2, 2 * processors), Limits.STARTS_WAITING_MAX, Limits.ADMISSION_WAIT_MAX);
    }

    /// Returns when the tenant's turn has come.
    ///
    /// @throws GloveboxException OVERLOADED if too many wait already, or nobody has finished in time
    Place enter(TenantId tenant) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (placesTaken < placesMax && waitingCount == 0) {
                placesTaken++;
            } else {
                await(tenant);
            }
            return this::leave;
        } finally {
            lock.unlock();
        }
    }

    private void await(TenantId tenant) throws InterruptedException {
        if (waitingCount >= waitingMax) {
            throw new GloveboxException(
                    ErrorCode.OVERLOADED,
                    waitingCount + " sandboxes wait to be started already, the bound: try again in a moment");
        }
        Waiting self = new Waiting();
        waiting.computeIfAbsent(tenant, _ -> new ArrayDeque<>()).addLast(self);
        waitingCount++;
        long rest = patience.toNanos();
        try {
            while (!self.hasPlace) {
                if (rest <= 0) {
                    throw new GloveboxException(
                            ErrorCode.OVERLOADED,
                            "this server did not come to start the sandbox in " + patience.toSeconds()
                                    + " s: try again later");
                }
                rest = self.changed.awaitNanos(rest);
            }
        } catch (InterruptedException | RuntimeException failure) {
            giveUp(tenant, self);
            throw failure;
        }
    }

    private void giveUp(TenantId tenant, Waiting self) {
        if (self.hasPlace) {
            handOn();
            return;
        }
        waitingCount--;
        waiting.computeIfPresent(tenant, (_, those) -> {
            those.remove(self);
            return those.isEmpty() ? null : those;
        });
    }

    private void leave() {
        lock.lock();
        try {
            handOn();
        } finally {
            lock.unlock();
        }
    }

    /// The place goes to the tenant whose turn it is, who then goes to the end of the line.
    private void handOn() {
        var next = waiting.entrySet().iterator();
        if (!next.hasNext()) {
            placesTaken--;
            return;
        }
        Map.Entry<TenantId, Deque<Waiting>> turn = next.next();
        TenantId tenant = turn.getKey();
        Deque<Waiting> those = turn.getValue();
        next.remove();
        Waiting first = those.removeFirst();
        if (!those.isEmpty()) {
            waiting.put(tenant, those);
        }
        waitingCount--;
        first.hasPlace = true;
        first.changed.signal();
    }

    /// How many wait.
    int waiting() {
        lock.lock();
        try {
            return waitingCount;
        } finally {
            lock.unlock();
        }
    }
}
