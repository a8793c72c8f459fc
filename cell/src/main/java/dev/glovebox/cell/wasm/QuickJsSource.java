package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.InterpreterSource;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.wasi.WasiProgram;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.ResourceLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/// Makes QuickJS interpreters from one image: QuickJS with its runtime, one context and our prelude in it.
public final class QuickJsSource implements InterpreterSource {
    /// What QuickJS keeps free of its memory, so that it can still say that it has none left.
    private static final int SPARE_BYTES = 2 * 1024 * 1024;

    /// Low enough that QuickJS raises its own error before V8's stack ends.
    private static final int STACK_BYTES = 96 * 1024;

    private final WasmImage image;
    private final IsolatePark park;
    private final InstantSource clock;
    private final RandomGenerator random;

    /// @param module `quickjs.wasm`
    public QuickJsSource(byte[] module, InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
        WasmImage bare = WasmImage.of(module);
        try (IsolatePark first = new IsolatePark(bare, QuickJsHost.NAMES)) {
            WasmIsolate isolate = first.take();
            image = bare.withMemory(prepareMemory(first, isolate, bare));
            first.giveBack(isolate);
        }
        park = new IsolatePark(image, QuickJsHost.NAMES);
    }

    private LinearMemory prepareMemory(IsolatePark first, WasmIsolate isolate, WasmImage bare) {
        InterpreterHome nobody = nobody();
        ResultLines results = new ResultLines();
        WasiGuest wasi = new WasiGuest(WasiProgram.EMPTY, nobody, null);
        QuickJsHost host = new QuickJsHost(wasi, results, nobody);
        int pages = WasmPages.within(ResourceLimits.DEFAULT, bare.initialPages(), "JavaScript");
        require(first.begin(isolate, pages, host));
        require(isolate.call("_initialize") == WasmIsolate.End.RETURNED);
        require(isolate.call("qjs_init") == WasmIsolate.End.RETURNED && isolate.result() == 0);
        require(isolate.call("qjs_set_interrupt_handler", 1) == WasmIsolate.End.RETURNED);
        require(isolate.call("qjs_set_module_loader", 1) == WasmIsolate.End.RETURNED);
        require(isolate.call("qjs_set_promise_rejection_handler", 1) == WasmIsolate.End.RETURNED);
        require(isolate.call("qjs_set_max_stack_size", STACK_BYTES) == WasmIsolate.End.RETURNED);
        // The process is not given back here: its isolate is, when the image is made.
        WasmProcess process = new WasmProcess(isolate, host, wasi, results, pages, _ -> {});
        int name = process.allocate("wasm_malloc", bytes("h\0"));
        require(isolate.call("qjs_new_host_function", name, 1, 0) == WasmIsolate.End.RETURNED);
        int function = isolate.result();
        require(isolate.call("qjs_get_global") == WasmIsolate.End.RETURNED);
        int global = isolate.result();
        int key = process.allocate("wasm_malloc", bytes("__host\0"));
        require(isolate.call("qjs_set_prop_string", global, key, function) == WasmIsolate.End.RETURNED);
        byte[] prelude = bytes(prelude());
        int code = process.allocate("wasm_malloc", bytes(prelude() + "\0"));
        int file = process.allocate("wasm_malloc", bytes("prelude\0"));
        require(isolate.call("qjs_eval", code, prelude.length, file, 0) == WasmIsolate.End.RETURNED);
        int value = isolate.result();
        require(isolate.call("qjs_is_exception", value) == WasmIsolate.End.RETURNED && isolate.result() == 0);
        require(isolate.call("qjs_run_gc") == WasmIsolate.End.RETURNED);
        LinearMemory memory = isolate.memory();
        if (memory == null) {
            throw new IllegalStateException("QuickJS has no memory");
        }
        return memory;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void require(boolean worked) {
        if (!worked) {
            throw new IllegalStateException("QuickJS cannot be prepared");
        }
    }

    private static String prelude() {
        try (InputStream in = QuickJsSource.class.getResourceAsStream("quickjs-prelude.js")) {
            if (in == null) {
                throw new IllegalStateException("quickjs-prelude.js is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("quickjs-prelude.js cannot be read", e);
        }
    }

    private InterpreterHome nobody() {
        return new InterpreterHome(
                new MemoryFileSystem(ResourceLimits.DEFAULT, clock, random), ResourceLimits.DEFAULT, clock, random);
    }

    @Override
    public Interpreter create(InterpreterHome home) {
        WasmIsolate isolate = park.take();
        return begin(isolate, home);
    }

    private QuickJsInterpreter begin(WasmIsolate isolate, InterpreterHome home) {
        int pages = WasmPages.within(home.limits(), image.initialPages(), "JavaScript");
        Joined joined = new Joined(home);
        if (!park.begin(isolate, pages, joined.host)) {
            joined.wasi.close();
            park.giveBack(isolate);
            throw new GloveboxException(ErrorCode.OVERLOADED, "the cell has no memory for one more interpreter");
        }
        isolate.call(
                "qjs_set_memory_limit",
                (int) Math.min(Integer.MAX_VALUE, (long) pages * WasmImage.PAGE_BYTES) - SPARE_BYTES);
        return adopt(isolate, home, joined);
    }

    private QuickJsInterpreter adopt(WasmIsolate isolate, InterpreterHome home, Joined joined) {
        WasmProcess process = new WasmProcess(
                isolate, joined.host, joined.wasi, joined.results, home.limits().memoryBytes(), park::giveBack);
        return new QuickJsInterpreter(process, joined.host, home, isolate);
    }

    /// The host functions of one interpreter.
    private static final class Joined {
        private final ResultLines results = new ResultLines();
        private final WasiGuest wasi;
        private final QuickJsHost host;

        Joined(InterpreterHome home) {
            wasi = new WasiGuest(WasiProgram.EMPTY, home, null);
            host = new QuickJsHost(wasi, results, home);
        }
    }

    @Override
    public Warm prepare() {
        WasmIsolate isolate = park.take();
        QuickJsInterpreter probed = begin(isolate, nobody());
        if (!probed.probe()) {
            probed.close();
            throw new IllegalStateException("QuickJS does not answer");
        }
        return new Ready(isolate);
    }

    @Override
    public boolean tidy() {
        return park.tidy();
    }

    @Override
    public void close() {
        park.close();
    }

    private final class Ready implements Warm {
        private final WasmIsolate isolate;

        Ready(WasmIsolate isolate) {
            this.isolate = isolate;
        }

        @Override
        public Interpreter claim(InterpreterHome home) {
            if (home.limits().memoryBytes() == ResourceLimits.DEFAULT.memoryBytes()) {
                return adopt(isolate, home, new Joined(home));
            }
            isolate.drop();
            return begin(isolate, home);
        }

        @Override
        public void close() {
            park.giveBack(isolate);
        }
    }
}
