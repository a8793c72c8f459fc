package dev.glovebox.cell.wasm;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// Isolates in which the code of our images is compiled, between two instances. A new instance in a used isolate
/// costs a third of one in a new isolate (docs/adr/0003), and shares nothing with the one before: its memory is
/// new, and guest code never runs as JavaScript. What was terminated or broke never comes back. Thread-safe.
final class IsolatePark implements AutoCloseable {
    private static final int IDLE_MAX = 8;
    /// Isolates whose ends are put off to a quiet moment.
    private static final int ENDING_MAX = 8;
    /// Bounds what an isolate could gather over time.
    private static final int USES_MAX = 1000;
    /// V8 does not see the pages that an instance gave back; so it is asked to look now and then.
    private static final int USES_BETWEEN_COLLECTIONS = 50;

    private volatile WasmImage image;
    private final List<String> functions;
    /// Holds the compiled code alive, and is never used.
    private final WasmIsolate anchor;
    private final Queue<WasmIsolate> idle = new ConcurrentLinkedQueue<>();
    private final Queue<WasmIsolate> ending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger idleCount = new AtomicInteger();
    private final AtomicInteger endingCount = new AtomicInteger();

    IsolatePark(WasmImage image, List<String> functions) {
        this.image = image;
        this.functions = functions;
        anchor = compiled();
    }

    /// An isolate for one instance. It must come back through [#giveBack].
    WasmIsolate take() {
        WasmIsolate isolate = idle.poll();
        if (isolate == null) {
            return compiled();
        }
        idleCount.decrementAndGet();
        return isolate;
    }

    /// What instances are made of now.
    WasmImage image() {
        return image;
    }

    /// Has later instances made of another image of the same code, and lets go of the one before.
    void use(WasmImage next) {
        WasmImage before = image;
        image = next;
        before.close();
    }

    /// Makes an instance of the image in an isolate that has none.
    ///
    /// @return false if there is no memory for it
    boolean begin(WasmIsolate isolate, int pagesMax, WasmIsolate.HostFunctions host) {
        try (WasmImage current = heldImage()) {
            return begin(isolate, current, pagesMax, host);
        }
    }

    private WasmImage heldImage() {
        WasmImage current = image;
        while (!current.hold()) {
            current = image;
        }
        return current;
    }

    /// The same for a given image of the same code, which the caller holds.
    boolean begin(WasmIsolate isolate, WasmImage from, int pagesMax, WasmIsolate.HostFunctions host) {
        LinearMemory memory = isolate.newMemory(from.initialPages(), Math.max(pagesMax, from.initialPages()));
        if (memory == null) {
            return false;
        }
        from.mapOver(memory.address());
        return isolate.instantiate(host) == WasmIsolate.End.RETURNED;
    }

    /// Takes an isolate back whose instance is over. The instance's memory is gone when this returns.
    void giveBack(WasmIsolate isolate) {
        isolate.drop();
        boolean fit = isolate.isReusable() && isolate.uses() < USES_MAX;
        if (fit && idleCount.incrementAndGet() <= IDLE_MAX) {
            if (isolate.uses() % USES_BETWEEN_COLLECTIONS == 0) {
                isolate.collect();
            }
            idle.add(isolate);
            return;
        }
        if (fit) {
            idleCount.decrementAndGet();
        }
        if (endingCount.incrementAndGet() <= ENDING_MAX) {
            ending.add(isolate);
        } else {
            endingCount.decrementAndGet();
            isolate.close();
        }
    }

    /// Ends an isolate that was put off; true if there was one.
    boolean tidy() {
        WasmIsolate isolate = ending.poll();
        if (isolate == null) {
            return false;
        }
        endingCount.decrementAndGet();
        isolate.close();
        return true;
    }

    private WasmIsolate compiled() {
        WasmIsolate isolate = new WasmIsolate();
        isolate.offer(functions);
        if (!isolate.compile(image.code())) {
            isolate.close();
            throw new IllegalStateException("V8 does not compile a module of ours");
        }
        return isolate;
    }

    @Override
    public void close() {
        while (tidy()) {
            // one after the other
        }
        for (WasmIsolate isolate = idle.poll(); isolate != null; isolate = idle.poll()) {
            isolate.close();
        }
        anchor.close();
    }
}
