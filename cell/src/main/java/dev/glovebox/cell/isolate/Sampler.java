package dev.glovebox.cell.isolate;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/// One thread that looks at the memory of all running isolates of this process, every few milliseconds. It sleeps while
/// there is none.
final class Sampler {
    /// A loop in WebAssembly that grows its memory and fills it makes about 3 MiB in a millisecond.
    private static final long PERIOD_NANOS = 5_000_000;

    private static final Set<MemoryGuard> RUNNING = ConcurrentHashMap.newKeySet();
    private static final Thread THREAD = start();

    private Sampler() {}

    private static Thread start() {
        Thread thread = new Thread(Sampler::sample, "isolate-memory");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void add(MemoryGuard guard) {
        RUNNING.add(guard);
        LockSupport.unpark(THREAD);
    }

    static void remove(MemoryGuard guard) {
        RUNNING.remove(guard);
    }

    private static void sample() {
        while (true) {
            if (RUNNING.isEmpty()) {
                LockSupport.park(RUNNING);
            } else {
                LockSupport.parkNanos(RUNNING, PERIOD_NANOS);
            }
            RUNNING.forEach(MemoryGuard::tick);
        }
    }
}
