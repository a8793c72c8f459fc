package dev.glovebox.cell.isolate;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.V8Runtime;
import com.caoccao.javet.interop.callback.IJavetNearHeapLimitCallback;
import com.caoccao.javet.interop.monitoring.V8HeapStatistics;
import dev.glovebox.core.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Holds one isolate to its memory. V8 itself does the counting ([V8Library]) and calls when the limit is near;
/// the guest is then ended, and V8 gets room to come back to JavaScript. A sampler looks at running guests as
/// well, for what V8 counts late: a WebAssembly memory that grows.
final class MemoryGuard {
    /// V8 asks once, and aborts the whole process if what it was asked for does not fit: a buffer can have any
    /// size for which the machine gives addresses, whether or not it has the memory. So there is room for all of
    /// them. The guest is ended by then, and comes to its next step before it touches what it got.
    private static final long ROOM_TO_END_IN = 1L << 46;

    private final V8Runtime runtime;
    private final Control control;
    private final long limitBytes;
    private final Object sampleLock = new Object();
    private @Nullable CompletableFuture<?> sample;
    private volatile boolean closed;
    private volatile long usedBytes;
    private volatile long peakBytes;
    /// Odd while the isolate's thread is inside V8.
    private final AtomicInteger entries = new AtomicInteger();

    private int entriesBefore;

    MemoryGuard(V8Runtime runtime, Control control, long limitBytes) {
        this.runtime = runtime;
        this.control = control;
        this.limitBytes = limitBytes;
    }

    /// Sets the limit. V8's flag for it holds for the process; what [IJavetNearHeapLimitCallback#getDefaultHeapLimit()]
    /// gives is put in its place, for this isolate, when a callback is taken away.
    void install() {
        IJavetNearHeapLimitCallback callback = new IJavetNearHeapLimitCallback() {
            @Override
            public long callback(long currentLimit, long initialLimit) {
                usedBytes = limitBytes;
                peakBytes = Math.max(peakBytes, limitBytes);
                control.terminate(new Outcome.OutOfMemory(limitBytes));
                return currentLimit + ROOM_TO_END_IN;
            }

            @Override
            public long getDefaultHeapLimit() {
                return closed ? Long.MAX_VALUE : limitBytes;
            }
        };
        runtime.setNearHeapLimitCallback(callback);
        runtime.setNearHeapLimitCallback(null);
        runtime.setNearHeapLimitCallback(callback);
    }

    void entering() {
        entries.incrementAndGet();
    }

    void left() {
        entries.incrementAndGet();
    }

    /// The sampler's tick. An isolate is asked only if it has been inside V8 since the last tick: then the answer comes
    /// from its own thread, at its next interruption check, and nothing here waits for a lock of V8.
    void tick() {
        synchronized (sampleLock) {
            int now = entries.get();
            boolean inside = now % 2 != 0 && now == entriesBefore;
            entriesBefore = now;
            if (inside && !closed && (sample == null || sample.isDone())) {
                sample = runtime.getV8HeapStatistics().thenAccept(this::take);
            }
        }
    }

    /// Looks once. The isolate's own thread, outside V8.
    void look() {
        synchronized (sampleLock) {
            if (!closed) {
                sample = runtime.getV8HeapStatistics().thenAccept(this::take);
            }
        }
    }

    private void take(V8HeapStatistics statistics) {
        long outside = statistics.getExternalMemory();
        long used = statistics.getTotalHeapSize() + outside;
        usedBytes = used;
        peakBytes = Math.max(peakBytes, used);
        if (outside > limitBytes) {
            control.terminate(new Outcome.OutOfMemory(limitBytes));
        }
    }

    long limitBytes() {
        return limitBytes;
    }

    long usedBytes() {
        return usedBytes;
    }

    long peakBytes() {
        return peakBytes;
    }

    /// The limit stays where it is by then: V8 would abort the process if it found itself above a lower one.
    void close() throws JavetException {
        synchronized (sampleLock) {
            closed = true;
        }
        runtime.setNearHeapLimitCallback(null);
        runtime.close();
    }
}
