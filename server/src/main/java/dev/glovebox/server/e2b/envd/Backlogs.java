package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Limits;
import java.util.concurrent.atomic.AtomicLong;

/// How much output waits for readers of all processes together. While it is much, each process may have only little
/// waiting, and so waits itself. Thread-safe.
final class Backlogs {
    private static final int LITTLE = 16;

    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    /// Of the product's bound.
    Backlogs() {
        this(Limits.PROCESS_BACKLOGS_BYTES_MAX);
    }

    Backlogs(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    void add(int more) {
        bytes.addAndGet(more);
    }

    /// What there is now of a process' own bound.
    int share(int bound) {
        return bytes.get() > bytesMax ? bound / LITTLE : bound;
    }
}
