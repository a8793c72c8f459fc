package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.Program;
import dev.glovebox.cell.wasi.WasiProgram;
import dev.glovebox.cell.wasi.WasmModule;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Outcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs one WASI preview 1 command module that a guest brought. It has no contexts.
final class WasiInterpreter implements Interpreter {
    /// What a shell shows for a file that cannot be executed.
    private static final int STATUS_NOT_EXECUTABLE = 126;

    private final WasmIsolate isolate;
    private final InterpreterHome home;
    private final Consumer<WasmIsolate> giveBack;
    private final Object lock = new Object();
    private @Nullable WasmProcess process;
    private @Nullable Outcome terminatedBy;
    private boolean closed;

    WasiInterpreter(WasmIsolate isolate, InterpreterHome home, Consumer<WasmIsolate> giveBack) {
        this.isolate = isolate;
        this.home = home;
        this.giveBack = giveBack;
    }

    @Override
    public Outcome run(Program program, GuestStreams streams) {
        ByteBuffer module;
        try {
            module = limited(program.code());
        } catch (GloveboxException e) {
            return refuse(streams, String.valueOf(e.getMessage()));
        }
        WasiGuest guest = new WasiGuest(new WasiProgram(program.arguments(), program.environment()), home, null);
        guest.use(streams);
        WasmProcess started = new WasmProcess(
                isolate, guest, guest, new ResultLines(), home.limits().memoryBytes(), giveBack);
        synchronized (lock) {
            process = started;
            if (terminatedBy != null) {
                return terminatedBy;
            }
        }
        started.use(streams);
        if (!isolate.compile(module)) {
            return refuse(streams, "not a WebAssembly module that V8 takes");
        }
        WasmIsolate.End end = isolate.instantiateWithOwnMemory(guest);
        if (end == WasmIsolate.End.RETURNED) {
            end = started.call("_start");
        }
        return end == WasmIsolate.End.RETURNED ? new Outcome.Exited(0) : started.outcome(end);
    }

    /// The module with the sandbox's limit as the largest size of its memory.
    private ByteBuffer limited(byte[] code) {
        WasmModule parsed = WasmModule.parse(code);
        if (parsed.kind() != WasmModule.Kind.COMMAND || !parsed.exports("memory", WasmModule.ExternalKind.MEMORY)) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "not a WASI command: it must export _start and its memory under the name memory");
        }
        byte[] bytes = parsed.withMemoryMax(WasmModule.pages(home.limits().memoryBytes()));
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static Outcome refuse(GuestStreams streams, String words) {
        byte[] bytes = (words + "\n").getBytes(StandardCharsets.UTF_8);
        streams.stderr(bytes, 0, bytes.length);
        return new Outcome.Exited(STATUS_NOT_EXECUTABLE);
    }

    @Override
    public void openContext(String context, GuestPath directory) {
        throw new UnsupportedOperationException("a module has no contexts");
    }

    @Override
    public Outcome execute(String context, String code, Map<String, String> environment, GuestStreams streams) {
        throw new UnsupportedOperationException("a module has no contexts");
    }

    @Override
    public void closeContext(String context) {}

    /// There is no signal in WASI preview 1 that a module could handle.
    @Override
    public void interrupt() {}

    @Override
    public void terminate(Outcome why) {
        WasmProcess running;
        synchronized (lock) {
            if (terminatedBy == null) {
                terminatedBy = why;
            }
            running = process;
        }
        if (running != null) {
            running.terminate(why);
        }
    }

    @Override
    public long cpuNanos() {
        return 0;
    }

    @Override
    public long memoryPeakBytes() {
        WasmProcess running;
        synchronized (lock) {
            running = process;
        }
        return running == null ? 0 : running.memoryBytes();
    }

    @Override
    public void close() {
        WasmProcess ran;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            ran = process;
        }
        if (ran == null) {
            giveBack.accept(isolate);
        } else {
            ran.close();
        }
    }
}
