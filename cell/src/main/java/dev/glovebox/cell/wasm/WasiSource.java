package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.InterpreterSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Makes what runs WASI modules that guests bring: an isolate that is used once.
public final class WasiSource implements InterpreterSource {
    private final Queue<WasmIsolate> ended = new ConcurrentLinkedQueue<>();

    @Override
    public Interpreter create(InterpreterHome home) {
        return new WasiInterpreter(isolate(), home, ended::add);
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
                return new WasiInterpreter(isolate, home, ended::add);
            }

            @Override
            public void close() {
                ended.add(isolate);
            }
        };
    }

    @Override
    public boolean tidy() {
        WasmIsolate isolate = ended.poll();
        if (isolate != null) {
            isolate.close();
        }
        return isolate != null;
    }

    @Override
    public void close() {
        while (tidy()) {
            // one after the other
        }
    }
}
