package dev.glovebox.cell.fs;

import java.util.concurrent.atomic.AtomicLong;

/// What all in-memory file systems of a process may hold together. Each has its own quota, but they live in one heap,
/// and the quotas of many sandboxes add up to more than that. Thread-safe.
public final class Budget {
    private final long max;
    private final AtomicLong used = new AtomicLong();

    public Budget(long max) {
        this.max = max;
    }

    long max() {
        return max;
    }

    /// Bytes in use now.
    public long used() {
        return used.get();
    }

    /// Takes bytes, all or none.
    boolean take(long bytes) {
        long before = used.getAndUpdate(now -> bytes <= max - now ? now + bytes : now);
        return bytes <= max - before;
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
    }
}
