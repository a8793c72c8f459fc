package dev.glovebox.server;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/// How long a server lives, and how it ends: within [#STOP_MAX] of being told to.
final class Lifetime {
    private static final System.Logger LOG = System.getLogger(Lifetime.class.getName());

    /// A service manager kills what takes much longer.
    private static final Duration STOP_MAX = Duration.ofSeconds(5);

    private Lifetime() {}

    /// Returns when the process was told to end (SIGTERM, SIGINT) and `server` is closed.
    static void untilTold(AutoCloseable server) {
        CountDownLatch closed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, closed), "stop"));
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void stop(AutoCloseable server, CountDownLatch closed) {
        Thread.ofPlatform().daemon().name("stop-limit").start(() -> halt(closed));
        closeQuietly(server);
        closed.countDown();
    }

    /// What does not end in time ends with the process: cells end when their standard input does.
    private static void halt(CountDownLatch closed) {
        try {
            if (!closed.await(STOP_MAX.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "not everything ended in time: the process ends all the same");
                Runtime.getRuntime().halt(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Ends one part; that it fails must not keep the others from ending.
    static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.log(System.Logger.Level.WARNING, "a part of the server did not end as it should", e);
        }
    }
}
