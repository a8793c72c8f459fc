package dev.glovebox.cell.wasi;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// The clocks that a guest may read, in nanoseconds. What it gets is coarser: see [ClockCalls].
public interface GuestClock {

    /// Since 1970.
    long realtimeNanos();

    /// Since some moment that says nothing about the host.
    long monotonicNanos();

    /// Processor time that the guest has used.
    long cpuNanos();

    /// The clocks of the host. The monotonic one begins at zero now, so that the guest does not learn how long
    /// the host has been up.
    static GuestClock system(InstantSource realtime, LongSupplier cpuNanos) {
        long start = System.nanoTime();
        return new GuestClock() {
            @Override
            public long realtimeNanos() {
                Instant now = realtime.instant();
                return now.getEpochSecond() * 1_000_000_000 + now.getNano();
            }

            @Override
            public long monotonicNanos() {
                return System.nanoTime() - start;
            }

            @Override
            public long cpuNanos() {
                return cpuNanos.getAsLong();
            }
        };
    }
}
