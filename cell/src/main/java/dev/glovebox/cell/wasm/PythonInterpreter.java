package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.Program;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// One CPython in WebAssembly. What it understands is in `guest/python-wasm/README.md`: requests as JSON
/// through `gb_call`, results as JSON lines on descriptor 4.
final class PythonInterpreter implements Interpreter {
    private static final int ENTROPY_BYTES = 32;
    private static final int KERNEL_BROKEN = 256;
    private static final String MEMORY_ERROR = "MemoryError";

    /// Writes what the buffers of open files hold. Python's collector must not come first: it may close a file
    /// before the buffer over it.
    private static final String LET_GO = """
            import gc, io
            gc.disable()
            for thing in gc.get_objects():
                if issubclass(type(thing), io.IOBase):
                    try:
                        thing.flush()
                    except Exception:
                        pass
            gc.collect()
            """;

    /// The name of a context that no guest can choose.
    private static final String OURS = "glovebox network";

    private final WasmProcess process;
    private final InterpreterHome home;
    private boolean booted;
    private boolean hasNetwork;

    PythonInterpreter(WasmProcess process, InterpreterHome home) {
        this.process = process;
        this.home = home;
    }

    /// Whether the interpreter answers. Its first steps are made on the way.
    boolean probe() {
        return request(boot(List.of(""), Map.of(), GuestPath.ROOT)).equals(new Outcome.Exited(0));
    }

    @Override
    public Outcome run(Program program, GuestStreams streams) {
        process.use(streams);
        try {
            Outcome booting = request(boot(program.arguments(), program.environment(), program.directory()));
            if (!booting.equals(new Outcome.Exited(0))) {
                return booting;
            }
            openNetwork();
            String code = new String(program.code(), StandardCharsets.UTF_8);
            Outcome outcome = request(
                    program.fileName().equals(Program.MODULE)
                            ? "{\"op\":\"runmodule\",\"module\":" + Json.quote(code) + "}"
                            : run(code, program.fileName()));
            return outcome instanceof Outcome.Exited && process.isUsable() && process.hasOutputFile()
                    ? letGo(outcome)
                    : outcome;
        } finally {
            process.use(null);
        }
    }

    /// Lets Python's modules use the network, as soon as there is one: it costs some milliseconds, so who has none
    /// does not pay for it.
    private void openNetwork() {
        if (hasNetwork || !home.network().isOpen()) {
            return;
        }
        hasNetwork = true;
        request("{\"op\":\"open\",\"context\":" + Json.quote(OURS) + ",\"cwd\":\"/\"}");
        request("{\"op\":\"execute\",\"context\":" + Json.quote(OURS) + ",\"code\":" + Json.quote(PythonNetwork.CODE)
                + ",\"env\":{}}");
    }

    /// A program has ended and left a file open, with output in a buffer that CPython elsewhere writes at its
    /// end. Another program takes the place of the first one, whose objects go with it. The first request is for
    /// its collection, after which none comes by itself until the program has begun.
    private Outcome letGo(Outcome outcome) {
        Outcome collected = request("{\"op\":\"close\",\"context\":\"none\"}");
        Outcome after = collected instanceof Outcome.Exited ? request(run(LET_GO, "")) : collected;
        return after instanceof Outcome.Exited ? outcome : after;
    }

    private static String run(String code, String fileName) {
        return "{\"op\":\"run\",\"code\":" + Json.quote(code) + ",\"filename\":" + Json.quote(fileName) + "}";
    }

    @Override
    public void openContext(String context, GuestPath directory) {
        if (!booted) {
            booted = true;
            request(boot(List.of(""), Map.of(), directory));
        }
        request("{\"op\":\"open\",\"context\":" + Json.quote(context) + ",\"cwd\":" + Json.quote(directory.value())
                + "}");
    }

    @Override
    public Outcome execute(String context, String code, Map<String, String> environment, GuestStreams streams) {
        process.use(streams);
        try {
            openNetwork();
            return request("{\"op\":\"execute\",\"context\":" + Json.quote(context) + ",\"code\":" + Json.quote(code)
                    + ",\"env\":" + Json.object(environment) + "}");
        } finally {
            process.use(null);
        }
    }

    @Override
    public void closeContext(String context) {
        request("{\"op\":\"close\",\"context\":" + Json.quote(context) + "}");
    }

    private String boot(List<String> arguments, Map<String, String> environment, GuestPath directory) {
        byte[] entropy = new byte[ENTROPY_BYTES];
        home.random().nextBytes(entropy);
        return "{\"op\":\"boot\",\"entropy\":\"" + HexFormat.of().formatHex(entropy) + "\",\"argv\":"
                + Json.array(arguments) + ",\"env\":" + Json.object(environment) + ",\"cwd\":"
                + Json.quote(directory.value()) + "}";
    }

    private Outcome request(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.US_ASCII);
        int pointer = process.allocate("gb_alloc", bytes);
        if (pointer == 0) {
            return process.ended().orElse(process.outOfMemory());
        }
        WasmIsolate.End end = process.call("gb_call", pointer, bytes.length);
        if (end != WasmIsolate.End.RETURNED) {
            return process.outcome(end);
        }
        int status = process.result();
        boolean failed = status != 0;
        if (failed && MEMORY_ERROR.equals(process.results().lastError())) {
            return process.outOfMemory();
        }
        if (status == KERNEL_BROKEN) {
            return process.brokenOutcome();
        }
        return new Outcome.Exited(status & 0xff);
    }

    @Override
    public void interrupt() {
        process.interruptPython();
    }

    @Override
    public void remind() {
        process.remindPython();
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
