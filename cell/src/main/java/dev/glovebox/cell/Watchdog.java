package dev.glovebox.cell;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The clock of all guests that run: one thread that looks at each of them every few milliseconds, and sooner
/// where a deadline is sooner. It never blocks on a guest or on the host. While no guest runs it sleeps.
/// Thread-safe.
final class Watchdog implements AutoCloseable {
    private static final long TICK_NANOS = TimeUnit.MICROSECONDS.toNanos(2500);
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// What is looked at.
    interface Watched {
        /// Does what is due, without blocking, and returns in how many nanoseconds something is due again.
        long tick(long nowNanos);
    }

    private final Set<Watched> watched = ConcurrentHashMap.newKeySet();
    private final GuestScheduler scheduler;
    private final Thread thread;
    private volatile boolean closed;

    Watchdog(GuestScheduler scheduler) {
        this.scheduler = scheduler;
        thread = Thread.ofPlatform().name("watchdog").daemon().unstarted(this::watch);
    }

    void start() {
        thread.start();
    }

    void add(Watched guest) {
        boolean first = watched.isEmpty();
        watched.add(guest);
        if (first) {
            LockSupport.unpark(thread);
        }
    }

    void remove(Watched guest) {
        watched.remove(guest);
    }

    private void watch() {
        while (!closed) {
            long now = System.nanoTime();
            scheduler.tend();
            long next = watched.isEmpty() && scheduler.queued() == 0 ? CALM_NANOS : TICK_NANOS;
            for (Watched guest : watched) {
                next = Math.min(next, guest.tick(now));
            }
            LockSupport.parkNanos(this, Math.max(next, TimeUnit.MICROSECONDS.toNanos(100)));
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
