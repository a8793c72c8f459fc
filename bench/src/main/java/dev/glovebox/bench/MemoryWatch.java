package dev.glovebox.bench;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// Watches by how much a process' resident memory grows at the most, until it is closed.
final class MemoryWatch implements AutoCloseable {
    private static final long INTERVAL_NANOS = Duration.ofMillis(10).toNanos();

    private final long pid;
    private final long before;
    private final Thread thread;
    private volatile long peak;
    private volatile boolean closed;

    MemoryWatch(long pid) {
        this.pid = pid;
        this.before = Processes.residentBytes(pid);
        this.peak = before;
        this.thread = Thread.ofPlatform().daemon().name("memory-watch").start(this::watch);
    }

    private void watch() {
        while (!closed) {
            long now = Processes.residentBytes(pid);
            if (now > peak) {
                peak = now;
            }
            LockSupport.parkNanos(INTERVAL_NANOS);
        }
    }

    long grownBytes() {
        return Math.max(peak, Processes.residentBytes(pid)) - before;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
