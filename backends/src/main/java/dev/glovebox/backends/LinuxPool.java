package dev.glovebox.backends;

import dev.glovebox.core.GloveboxException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Sandboxes of one kind that are ready: started, probed, never used. One is made at a time, as soon as one is taken.
/// Thread-safe.
final class LinuxPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LinuxPool.class.getName());
    /// After a failure, so that a broken template does not keep a processor busy.
    private static final long FAILURE_MILLIS = 5_000;

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
        fill();
        return taken;
    }

    synchronized Counts counts() {
        return new Counts(hits, misses);
    }

    private void fillNow() {
        try {
            while (isWanting()) {
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

    private synchronized boolean isWanting() {
        return !closed && ready.size() < size;
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
            left = new ArrayDeque<>(ready);
            ready.clear();
        }
        left.forEach(AgentSandbox::close);
    }
}
