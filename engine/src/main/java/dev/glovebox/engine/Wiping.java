package dev.glovebox.engine;

import java.time.Duration;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Ends sandboxes whose answer is known behind that answer: taking a Linux sandbox apart takes from 2 to 80 ms,
/// for which nobody needs to wait. Thread-safe.
final class Wiping {
    private static final System.Logger LOG = System.getLogger(Wiping.class.getName());
    private static final Duration AWAIT_MAX = Duration.ofSeconds(10);

    /// One party for us, and one for each sandbox that is being ended.
    private final Phaser parties = new Phaser(1);

    void begin(Runnable wipe) {
        parties.register();
        Thread.ofVirtual().name("wipe").start(() -> {
            try {
                wipe.run();
            } catch (RuntimeException failure) {
                LOG.log(System.Logger.Level.ERROR, "a sandbox could not be ended", failure);
            } finally {
                parties.arriveAndDeregister();
            }
        });
    }

    /// Waits until what was begun before is done; not for ever.
    void await() {
        int phase = parties.arrive();
        try {
            parties.awaitAdvanceInterruptibly(phase, AWAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException _) {
            LOG.log(System.Logger.Level.WARNING, "sandboxes are still being ended after {0} s", AWAIT_MAX.toSeconds());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
