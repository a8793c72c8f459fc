package dev.glovebox.cell;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Collects the whole heap when it has grown. The serial collector looks at old objects only when it can get no
/// more addresses, which is at the heap's bound; and old objects are where ended interpreters lie, each with memory of
/// V8 and of buffers that goes only with it. A cell under load grew by 50 MiB a minute. A collection takes about 30 ms.
final class HeapKeeper implements Runnable {
    private static final long MIB = 1024 * 1024;
    /// Growth since the last collection that is worth one while nothing runs.
    private static final long IDLE_GROWTH_BYTES = 16 * MIB;
    /// Growth that is worth one even if a guest has to wait for it.
    private static final long BUSY_GROWTH_BYTES = 48 * MIB;

    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BooleanSupplier isIdle;
    private long keptBytes = used();

    private HeapKeeper(BooleanSupplier isIdle) {
        this.isIdle = isIdle;
    }

    /// Starts it on a thread of its own, for the life of the process.
    static void start(BooleanSupplier isIdle) {
        Thread.ofPlatform().name("heap-keeper").daemon().start(new HeapKeeper(isIdle));
    }

    @Override
    public void run() {
        while (true) {
            LockSupport.parkNanos(this, PERIOD_NANOS);
            long growth = used() - keptBytes;
            if (growth > BUSY_GROWTH_BYTES || (growth > IDLE_GROWTH_BYTES && isIdle.getAsBoolean())) {
                collect();
            }
        }
    }

    private void collect() {
        System.gc();
        keptBytes = used();
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
