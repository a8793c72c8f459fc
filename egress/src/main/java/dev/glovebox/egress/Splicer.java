package dev.glovebox.egress;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/// The threads that move bytes, and which of them gets a connection. Thread-safe.
final class Splicer implements AutoCloseable {
    private final List<SpliceLoop> loops;
    private final AtomicInteger next = new AtomicInteger();

    Splicer(int threads) {
        loops = IntStream.range(0, threads).mapToObj(SpliceLoop::new).toList();
    }

    SpliceLoop loop() {
        return loops.get(Math.floorMod(next.getAndIncrement(), loops.size()));
    }

    @Override
    public void close() {
        loops.forEach(SpliceLoop::close);
    }
}
