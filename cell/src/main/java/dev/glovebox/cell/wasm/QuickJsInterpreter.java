package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.Program;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// One QuickJS in WebAssembly: JavaScript behind the stronger of the two boundaries, slower than in tier
/// isolate. Our prelude in it gives it a console, timers, files and an end; this class drives them.
final class QuickJsInterpreter implements Interpreter {
    private static final int GLOBAL_ASYNC = 1 << 7;
    private static final int MODULE = 1;
    private static final int STATUS_INTERRUPTED = 130;
    private static final long SLEEP_MILLIS_MAX = 60_000;

    private final WasmProcess process;
    private final QuickJsHost host;
    private final InterpreterHome home;
    private final WasmIsolate isolate;
    private volatile boolean interrupted;
    private boolean booted;

    QuickJsInterpreter(WasmProcess process, QuickJsHost host, InterpreterHome home, WasmIsolate isolate) {
        this.process = process;
        this.host = host;
        this.home = home;
        this.isolate = isolate;
    }

    /// Whether the interpreter answers.
    boolean probe() {
        boot(List.of(), Map.of(), GuestPath.ROOT);
        return process.isUsable();
    }

    @Override
    public Outcome run(Program program, GuestStreams streams) {
        process.use(streams);
        try {
            boot(program.arguments(), program.environment(), program.directory());
            boolean module = program.fileName().endsWith(".mjs");
            return evaluate(program.code(), program.fileName(), module ? MODULE : GLOBAL_ASYNC, streams, true);
        } finally {
            process.use(null);
        }
    }

    @Override
    public void openContext(String context, GuestPath directory) {
        if (!booted) {
            boot(List.of(), Map.of(), directory);
            booted = true;
            command("__glovebox.result(true)");
        }
    }

    @Override
    public Outcome execute(String context, String code, Map<String, String> environment, GuestStreams streams) {
        process.use(streams);
        try {
            command("__glovebox.environment(" + Json.object(environment) + ")");
            byte[] source = code.getBytes(StandardCharsets.UTF_8);
            return evaluate(source, "<cell>", GLOBAL_ASYNC, streams, false);
        } finally {
            process.use(null);
        }
    }

    @Override
    public void closeContext(String context) {}

    private void boot(List<String> arguments, Map<String, String> environment, GuestPath directory) {
        command("__glovebox.boot({argv:[\"/usr/bin/node\","
                + Json.array(arguments).substring(1) + ",env:"
                + Json.object(environment) + ",cwd:" + Json.quote(directory.value()) + ",seed:["
                + home.random().nextInt() + "," + home.random().nextInt() + ","
                + home.random().nextInt() + ","
                + home.random().nextInt() + "]})");
    }

    /// Evaluates one line of ours.
    private void command(String code) {
        int value = eval(code.getBytes(StandardCharsets.UTF_8), "glovebox", 0);
        if (value != 0) {
            process.call("qjs_free_value", value);
        }
    }

    /// Returns a pointer to the value, or 0 if the call did not return.
    private int eval(byte[] code, String fileName, int flags) {
        int source = process.allocate("wasm_malloc", terminated(code));
        int name = process.allocate("wasm_malloc", terminated(fileName.getBytes(StandardCharsets.UTF_8)));
        if (source == 0 || name == 0) {
            return 0;
        }
        WasmIsolate.End end = process.call("qjs_eval", source, code.length, name, flags);
        lastEnd = end;
        int value = end == WasmIsolate.End.RETURNED ? process.result() : 0;
        if (end == WasmIsolate.End.RETURNED) {
            process.call("wasm_free", source);
            process.call("wasm_free", name);
        }
        return value;
    }

    private WasmIsolate.End lastEnd = WasmIsolate.End.RETURNED;

    private Outcome evaluate(byte[] code, String fileName, int flags, GuestStreams streams, boolean toTheLast) {
        host.begin();
        interrupted = false;
        isolate.setInterrupt(false);
        int value = eval(code, fileName, flags);
        if (value == 0) {
            return lastEnd == WasmIsolate.End.RETURNED
                    ? process.ended().orElseGet(process::outOfMemory)
                    : outcome(lastEnd);
        }
        boolean ended = isException(value) ? fail() : callWith("settle", value);
        while (ended) {
            ended = runJobs();
            if (!ended || (host.isSettled() && !toTheLast)) {
                break;
            }
            int wait = tick();
            if (wait == -1 || lastEnd != WasmIsolate.End.RETURNED) {
                break;
            }
            if (wait > 0) {
                streams.waitOutside(() -> process.sleep(Math.min(wait, SLEEP_MILLIS_MAX)));
                if (interrupted || process.ended().isPresent()) {
                    break;
                }
            }
        }
        return finished();
    }

    private Outcome finished() {
        if (lastEnd == WasmIsolate.End.RETURNED && process.results().lastError() == null && !interrupted) {
            int rejection = isolate.takeRejection();
            if (rejection != 0) {
                callWith("fail", rejection);
            }
        }
        if (lastEnd != WasmIsolate.End.RETURNED) {
            return outcome(lastEnd);
        }
        String error = process.results().lastError();
        if (interrupted) {
            return new Outcome.Exited(STATUS_INTERRUPTED);
        }
        if (error == null) {
            return process.ended().orElse(new Outcome.Exited(0));
        }
        boolean memory = error.equals("InternalError")
                && "out of memory".equals(process.results().lastErrorValue());
        return memory ? process.outOfMemory() : new Outcome.Exited(1);
    }

    private Outcome outcome(WasmIsolate.End end) {
        if (end == WasmIsolate.End.UNWOUND && host.exit().isPresent()) {
            return process.ended().orElse(new Outcome.Exited(host.exit().getAsInt()));
        }
        return process.outcome(end);
    }

    /// All steps below return whether the guest still runs.
    private boolean runJobs() {
        while (call("qjs_is_job_pending") && process.result() != 0) {
            if (interrupted) {
                return false;
            }
            if (!call("qjs_execute_pending_job")) {
                return false;
            }
            if (process.result() < 0 && !fail()) {
                return false;
            }
        }
        return lastEnd == WasmIsolate.End.RETURNED;
    }

    private int tick() {
        int value = eval("__glovebox.tick()".getBytes(StandardCharsets.UTF_8), "glovebox", 0);
        if (value == 0) {
            return -1;
        }
        if (isException(value)) {
            return fail() ? 0 : -1;
        }
        boolean known = call("qjs_get_float64", value);
        int wait = known ? process.result() : -1;
        call("qjs_free_value", value);
        return wait;
    }

    private boolean isException(int value) {
        return call("qjs_is_exception", value) && process.result() != 0;
    }

    /// Tells the guest's error.
    private boolean fail() {
        if (!call("qjs_get_exception")) {
            return false;
        }
        int error = process.result();
        if (interrupted) {
            return false;
        }
        return callWith("fail", error);
    }

    /// Calls a function of the prelude with one value.
    private boolean callWith(String function, int value) {
        int callee = eval(("__glovebox." + function).getBytes(StandardCharsets.UTF_8), "glovebox", 0);
        if (callee == 0 || !call("qjs_get_undefined")) {
            return false;
        }
        int self = process.result();
        int arguments = process.allocate("wasm_malloc", pointer(value));
        if (arguments == 0) {
            return false;
        }
        boolean alive = call("qjs_call", callee, self, 1, arguments);
        if (alive) {
            call("wasm_free", arguments);
        }
        return alive;
    }

    private boolean call(String export, int... arguments) {
        lastEnd = process.call(export, arguments);
        return lastEnd == WasmIsolate.End.RETURNED;
    }

    private static byte[] terminated(byte[] text) {
        return java.util.Arrays.copyOf(text, text.length + 1);
    }

    private static byte[] pointer(int value) {
        return new byte[] {(byte) value, (byte) (value >> 8), (byte) (value >> 16), (byte) (value >> 24)};
    }

    @Override
    public void interrupt() {
        interrupted = true;
        isolate.setInterrupt(true);
        process.wake();
    }

    @Override
    public void terminate(Outcome why) {
        process.terminate(why);
    }

    @Override
    public long cpuNanos() {
        return 0;
    }

    @Override
    public long memoryPeakBytes() {
        return process.memoryBytes();
    }

    @Override
    public boolean isUsable() {
        return process.isUsable();
    }

    @Override
    public void close() {
        process.close();
    }
}
