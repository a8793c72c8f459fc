package dev.glovebox.egress;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Does something later, unless it is called off. What it does is short. Thread-safe.
final class Timers implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Timers.class.getName());

    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("egress-timer").daemon().factory());

    Timers() {
        executor.setRemoveOnCancelPolicy(true);
    }

    /// Something that is done later.
    interface Timer extends AutoCloseable {
        /// Calls it off, if it has not begun.
        @Override
        void close();
    }

    Timer after(Duration time, Runnable task) {
        var future = executor.schedule(task, time.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    void every(Duration time, Runnable task) {
        var _ = executor.scheduleWithFixedDelay(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException e) {
                        // It would never be done again otherwise.
                        LOG.log(System.Logger.Level.ERROR, "something that is done regularly failed", e);
                    }
                },
                time.toNanos(),
                time.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
