package dev.glovebox.backends;

import dev.glovebox.core.GloveboxException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Sandboxes of one kind that are ready: started, probed, never used. One is made at a time: at once when less than
/// half of them is left, else when nobody has taken one for a moment, because whoever did wants the processors now.
/// Thread-safe.
final class LinuxPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LinuxPool.class.getName());
    /// After a failure, so that a broken template does not keep a processor busy.
    private static final long FAILURE_MILLIS = 5_000;

    /// About as long as a short run takes.
    private static final Duration CALM = Duration.ofMillis(50);

    /// Makes one that is ready.
    interface Maker {
        AgentSandbox make() throws InterruptedException;
    }

    /// How often one was ready when it was wanted.
    record Counts(long hits, long misses) {
        Counts plus(Counts other) {
            return new Counts(hits + other.hits, misses + other.misses);
        }
    }

    private final int size;
    private final Maker maker;
    private final Deque<AgentSandbox> ready = new ArrayDeque<>();
    private long hits;
    private long misses;
    private long lastTaken = System.nanoTime() - CALM.toNanos();
    private boolean filling;
    private boolean closed;

    LinuxPool(int size, Maker maker) {
        this.size = size;
        this.maker = maker;
    }

    /// Begins to fill it, in the background.
    synchronized void fill() {
        if (!filling && !closed && ready.size() < size) {
            filling = true;
            Thread.ofVirtual().name("linux-pool").start(this::fillNow);
        }
    }

    /// One that is ready, or null. What is taken is replaced.
    synchronized @Nullable AgentSandbox take() {
        AgentSandbox taken = ready.pollFirst();
        while (taken != null && taken.isLost()) {
            taken = ready.pollFirst();
        }
        if (taken == null) {
            misses++;
        } else {
            hits++;
        }
        lastTaken = System.nanoTime();
        if (isScarce()) {
            notifyAll();
        }
        fill();
        return taken;
    }

    synchronized Counts counts() {
        return new Counts(hits, misses);
    }

    private void fillNow() {
        try {
            while (isWantingNow()) {
                AgentSandbox made = maker.make();
                if (!keep(made)) {
                    made.close();
                }
            }
        } catch (GloveboxException failure) {
            LOG.log(System.Logger.Level.WARNING, "no sandbox could be made ready: {0}", failure.getMessage());
            pause();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                filling = false;
            }
        }
    }

    /// Whether to make another one; it may take a moment to be sure.
    private synchronized boolean isWantingNow() throws InterruptedException {
        long rest = restOfCalm();
        while (!closed && !isScarce() && rest > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, rest);
            rest = restOfCalm();
        }
        return !closed && ready.size() < size;
    }

    private long restOfCalm() {
        return lastTaken + CALM.toNanos() - System.nanoTime();
    }

    private boolean isScarce() {
        return 2 * ready.size() < size;
    }

    private synchronized boolean keep(AgentSandbox made) {
        if (!closed) {
            ready.addLast(made);
        }
        return !closed;
    }

    private static void pause() {
        try {
            Thread.sleep(FAILURE_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Deque<AgentSandbox> left;
        synchronized (this) {
            closed = true;
            notifyAll();
            left = new ArrayDeque<>(ready);
            ready.clear();
        }
        left.forEach(AgentSandbox::close);
    }
}
