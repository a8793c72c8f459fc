package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.InterpreterSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// Makes what runs WASI modules that guests bring: an isolate that is used once.
public final class WasiSource implements InterpreterSource {
    private static final int ENDED_MAX = 4;

    private final Queue<WasmIsolate> ended = new ConcurrentLinkedQueue<>();
    private final AtomicInteger endedCount = new AtomicInteger();

    @Override
    public Interpreter create(InterpreterHome home) {
        return new WasiInterpreter(isolate(), home, this::end);
    }

    private static WasmIsolate isolate() {
        WasmIsolate isolate = new WasmIsolate();
        isolate.offer(WasiGuest.NAMES);
        return isolate;
    }

    @Override
    public Warm prepare() {
        WasmIsolate isolate = isolate();
        return new Warm() {
            @Override
            public Interpreter claim(InterpreterHome home) {
                return new WasiInterpreter(isolate, home, WasiSource.this::end);
            }

            @Override
            public void close() {
                end(isolate);
            }
        };
    }

    /// Closing takes a millisecond that a guest's thread should not pay, but what waits to be closed holds a module's
    /// code and memory: only a few may.
    private void end(WasmIsolate isolate) {
        if (endedCount.incrementAndGet() <= ENDED_MAX) {
            ended.add(isolate);
        } else {
            endedCount.decrementAndGet();
            isolate.close();
        }
    }

    @Override
    public boolean tidy() {
        WasmIsolate isolate = ended.poll();
        if (isolate == null) {
            return false;
        }
        endedCount.decrementAndGet();
        isolate.close();
        return true;
    }

    @Override
    public void close() {
        while (tidy()) {
            // one after the other
        }
    }
}
