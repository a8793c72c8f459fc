package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;

/// `clock_res_get` and `clock_time_get`.
///
/// Every clock moves in steps of 100 µs, as browsers' do for pages that are not isolated: enough for any program
/// that measures itself, and too coarse to tell a cache hit from a miss, which is what attacks on the processor's
/// side channels need. WebAssembly here has no threads, so a guest cannot count a finer clock for itself beside
/// its work.
final class ClockCalls {
    static final long STEP_NANOS = 100_000;

    /// The `clockid`s. Process and thread are the same here: a guest has one thread.
    static final int REALTIME = 0;
    static final int MONOTONIC = 1;
    private static final int PROCESS_CPU = 2;
    private static final int THREAD_CPU = 3;

    private final GuestMemory memory;
    private final GuestClock clock;

    ClockCalls(GuestMemory memory, GuestClock clock) {
        this.memory = memory;
        this.clock = clock;
    }

    void clockResGet(int id, int resultPointer) {
        memory.check(resultPointer, 8);
        now(id);
        memory.putLong(resultPointer, STEP_NANOS);
    }

    /// `clock_time_get`; it answers at once, whatever precision the guest asks for.
    void clockTimeGet(int id, int resultPointer) {
        memory.check(resultPointer, 8);
        memory.putLong(resultPointer, now(id));
    }

    long now(int id) {
        long nanos = switch (id) {
            case REALTIME -> clock.realtimeNanos();
            case MONOTONIC -> clock.monotonicNanos();
            case PROCESS_CPU, THREAD_CPU -> clock.cpuNanos();
            default -> throw new FsError(Errno.INVAL, "invalid argument: there is no such clock");
        };
        return nanos - Math.floorMod(nanos, STEP_NANOS);
    }
}
