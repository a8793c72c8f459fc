package dev.glovebox.bench;

import java.util.ArrayList;
import java.util.List;

/// Takes times, one after the other. Belongs to one thread.
final class Stopwatch {
    private final List<Long> nanos = new ArrayList<>();

    /// Takes the time of an action.
    void time(Runnable action) {
        long begun = System.nanoTime();
        action.run();
        nanos.add(System.nanoTime() - begun);
    }

    void add(long measuredNanos) {
        nanos.add(measuredNanos);
    }

    List<Long> nanos() {
        return nanos;
    }

    Samples samples() {
        return Samples.of(nanos);
    }

    /// The same action, often.
    static Samples repeat(int times, Runnable action) {
        Stopwatch stopwatch = new Stopwatch();
        for (int i = 0; i < times; i++) {
            stopwatch.time(action);
        }
        return stopwatch.samples();
    }
}
