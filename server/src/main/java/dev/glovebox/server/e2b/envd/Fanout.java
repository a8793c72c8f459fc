package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Limits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Hands what one process says to any number of readers, each of which takes it at its own pace. Nobody listens: it is
/// thrown away. The reader that is furthest sets the pace of the process, so that it waits for a single reader as for
/// any pipe; one that falls far behind another, or takes nothing at all, loses its stream. So no reader stops the
/// process, or another reader, for longer than [Limits#PROCESS_STALL_MAX], and what waits is bounded. Thread-safe;
/// one thread publishes.
final class Fanout {
    /// What an event takes beside its content, so that many small ones count too.
    private static final int EVENT_BYTES = 96;

    private final Limit limit;
    private final Backlogs backlogs;
    private final ReentrantLock lock = new ReentrantLock();
    /// Something was taken, or a reader left.
    private final Condition moved = lock.newCondition();

    private final List<Reader> readers = new ArrayList<>();
    private ProcessEvent.@Nullable Started started;
    private @Nullable ProcessEvent last;

    /// The bounds; tests have smaller ones.
    record Limit(int backlogBytes, int lagBytes, Duration grace, Duration stall) {
        static final Limit PRODUCT = new Limit(
                Limits.PROCESS_BACKLOG_BYTES,
                Limits.PROCESS_LAG_BYTES_MAX,
                Limits.PROCESS_LAG_GRACE,
                Limits.PROCESS_STALL_MAX);
    }

    /// @param backlogs what waits for readers of all processes
    Fanout(Limit limit, Backlogs backlogs) {
        this.limit = limit;
        this.backlogs = backlogs;
    }

    private int backlogBytes() {
        return backlogs.share(limit.backlogBytes());
    }

    private int lagBytes() {
        return backlogs.share(limit.lagBytes());
    }

    /// A new reader. It is told that the process has started, also if that was long ago, then what it says from now on.
    Reader subscribe() {
        lock.lock();
        try {
            if (readers.size() >= Limits.PROCESS_READERS_MAX) {
                throw new ConnectFailure(
                        ConnectCode.RESOURCE_EXHAUSTED,
                        "the process has " + readers.size() + " readers, its bound: end a connection to it");
            }
            Reader reader = new Reader();
            if (started != null) {
                reader.add(started);
            }
            if (last != null) {
                reader.add(last);
            } else {
                readers.add(reader);
            }
            return reader;
        } finally {
            lock.unlock();
        }
    }

    void start(ProcessEvent.Started event) {
        lock.lock();
        try {
            started = event;
            readers.forEach(reader -> reader.add(event));
        } finally {
            lock.unlock();
        }
    }

    /// Hands on what the process wrote; waits as described above.
    void publish(ProcessEvent.Output output) {
        lock.lock();
        try {
            awaitRoom();
            readers.forEach(reader -> reader.add(output));
        } finally {
            lock.unlock();
        }
    }

    private void awaitRoom() {
        boolean wasInterrupted = false;
        long nanos = waitNanos();
        while (nanos > 0) {
            try {
                long before = System.nanoTime();
                moved.awaitNanos(nanos);
                spend(System.nanoTime() - before);
            } catch (InterruptedException e) {
                wasInterrupted = true;
                dropAll();
            }
            nanos = waitNanos();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// How long to wait for readers; 0 if there is room. Drops those who have used up what patience there is.
    private long waitNanos() {
        while (!readers.isEmpty()) {
            Reader furthest = readers.getFirst();
            Reader hindmost = furthest;
            for (Reader reader : readers) {
                furthest = reader.bytes < furthest.bytes ? reader : furthest;
                hindmost = reader.bytes > hindmost.bytes ? reader : hindmost;
            }
            boolean isPaced = furthest.bytes >= backlogBytes();
            if (!isPaced && hindmost.bytes < lagBytes()) {
                return 0;
            }
            long left =
                    isPaced ? limit.stall().toNanos() - (System.nanoTime() - hindmost.lastTaken) : hindmost.graceNanos;
            if (left > 0) {
                return left;
            }
            hindmost.drop(isPaced ? limit.stall() : limit.grace());
        }
        return 0;
    }

    /// Counts waiting against those who are waited for while another is ready.
    private void spend(long nanos) {
        boolean isOneReady = readers.stream().anyMatch(reader -> reader.bytes < backlogBytes());
        if (isOneReady) {
            readers.stream().filter(reader -> reader.bytes >= lagBytes()).forEach(reader -> reader.graceNanos -= nanos);
        }
    }

    private void dropAll() {
        List.copyOf(readers).forEach(reader -> reader.drop(Duration.ZERO));
    }

    /// Tells the last event, also to those who come later.
    void finish(ProcessEvent event) {
        lock.lock();
        try {
            last = event;
            readers.forEach(reader -> reader.add(event));
            readers.clear();
        } finally {
            lock.unlock();
        }
    }

    /// One who reads. Closing it is leaving. Used by one thread.
    final class Reader implements AutoCloseable {
        private final Queue<ProcessEvent> events = new ArrayDeque<>();
        private final Condition filled = lock.newCondition();
        private int bytes;
        private long lastTaken = System.nanoTime();
        private long graceNanos = limit.grace().toNanos();
        private @Nullable ConnectFailure dropped;

        /// Under the lock, as are the next four.
        private void add(ProcessEvent event) {
            if (events.isEmpty()) {
                lastTaken = System.nanoTime();
            }
            events.add(event);
            count(sizeOf(event));
            filled.signal();
        }

        private void drop(Duration patience) {
            dropped = new ConnectFailure(
                    ConnectCode.RESOURCE_EXHAUSTED,
                    "output was lost: this reader was " + bytes + " bytes behind and was waited for in vain for "
                            + patience.toMillis() + " ms; the process goes on, connect to it again");
            clear();
            readers.remove(this);
            filled.signal();
        }

        private void count(int more) {
            bytes += more;
            backlogs.add(more);
        }

        private void clear() {
            events.clear();
            count(-bytes);
        }

        private static int sizeOf(ProcessEvent event) {
            return event instanceof ProcessEvent.Output output ? EVENT_BYTES + output.bytes().length : 0;
        }

        /// The next event; empty if none comes in time.
        ///
        /// @throws ConnectFailure RESOURCE_EXHAUSTED if this reader was too slow
        Optional<ProcessEvent> next(Duration patience) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long nanos = patience.toNanos();
                while (events.isEmpty()) {
                    if (dropped != null) {
                        throw dropped;
                    }
                    if (nanos <= 0) {
                        return Optional.empty();
                    }
                    nanos = filled.awaitNanos(nanos);
                }
                ProcessEvent event = events.remove();
                count(-sizeOf(event));
                lastTaken = System.nanoTime();
                if (bytes < backlogBytes()) {
                    graceNanos = limit.grace().toNanos();
                }
                moved.signalAll();
                return Optional.of(event);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                readers.remove(this);
                clear();
                moved.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
