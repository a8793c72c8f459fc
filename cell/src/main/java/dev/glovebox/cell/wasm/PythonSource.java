package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.InterpreterSource;
import dev.glovebox.cell.Program;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.wasi.WasiProgram;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Makes Python interpreters from one image.
public final class PythonSource implements InterpreterSource {
    /// What programs do most. V8 compiles code anew, and well, when it has run for a while, and all isolates of
    /// a cell share the result: after this a loop runs at full speed from its first turn.
    private static final byte[] EXERCISE = """
            import json, re
            def fib(n):
                return n if n < 2 else fib(n - 1) + fib(n - 2)
            class Point:
                def __init__(self, x, y):
                    self.x, self.y = x, y
                def add(self, other):
                    return Point(self.x + other.x, self.y + other.y)
            s = 0
            for i in range(300000):
                s += i * i % 7
            fib(20)
            p = Point(0, 0)
            for i in range(20000):
                p = p.add(Point(i, 1.5))
            words = [f"{i:05d}-{i / 3:.2f}" for i in range(20000)]
            table = {w: i for i, w in enumerate(words)}
            total = sum(table[w] for w in sorted(words, key=lambda w: w[::-1]))
            text = json.dumps([{"a": i, "b": str(i), "c": [i, None, True]} for i in range(2000)])
            json.loads(text)
            len(re.findall(r"\\d+-\\d+", " ".join(words)))
            for i in range(3000):
                try:
                    int("x" if i % 2 else "7")
                except ValueError as error:
                    str(error)
            """.getBytes(StandardCharsets.UTF_8);

    private static final byte[] SMALLEST = "print(1 + 1)".getBytes(StandardCharsets.UTF_8);

    private final IsolatePark park;
    private final WasmImage image;
    private final PythonLibrary library;
    private final InstantSource clock;
    private final RandomGenerator random;

    /// @param module `python.wasm`
    public PythonSource(byte[] module, PythonLibrary library, InstantSource clock, RandomGenerator random) {
        image = WasmImage.of(module);
        park = new IsolatePark(image, WasiGuest.NAMES);
        this.library = library;
        this.clock = clock;
        this.random = random;
    }

    @Override
    public Interpreter create(InterpreterHome home) {
        int pages = pages(home.limits());
        WasmIsolate isolate = park.take();
        return adopt(isolate, home, begin(isolate, pages, home));
    }

    @Override
    public Warm prepare() {
        MemoryFileSystem nowhere = new MemoryFileSystem(ResourceLimits.DEFAULT, clock, random);
        library.mountIn(nowhere);
        InterpreterHome home = new InterpreterHome(nowhere, ResourceLimits.DEFAULT, clock, random);
        WasmIsolate isolate = park.take();
        PythonInterpreter probed = adopt(isolate, home, begin(isolate, pages(ResourceLimits.DEFAULT), home));
        if (!probed.probe()) {
            probed.close();
            throw new IllegalStateException("Python does not answer");
        }
        return new Ready(isolate);
    }

    /// Runs the smallest program and lets the image learn which pages every program writes to.
    private void learn() {
        MemoryFileSystem nowhere = new MemoryFileSystem(ResourceLimits.DEFAULT, clock, random);
        library.mountIn(nowhere);
        InterpreterHome home = new InterpreterHome(nowhere, ResourceLimits.DEFAULT, clock, random);
        WasmIsolate isolate = park.take();
        try (Interpreter interpreter = adopt(isolate, home, begin(isolate, pages(home.limits()), home))) {
            Program program = new Program(SMALLEST, "main.py", List.of("main.py"), Map.of(), GuestPath.HOME);
            interpreter.run(program, SilentStreams.INSTANCE);
            LinearMemory memory = isolate.memory();
            if (memory != null) {
                image.learnFrom(memory.address());
            }
        }
    }

    @Override
    public void exercise() {
        learn();
        MemoryFileSystem nowhere = new MemoryFileSystem(ResourceLimits.DEFAULT, clock, random);
        library.mountIn(nowhere);
        InterpreterHome home = new InterpreterHome(nowhere, ResourceLimits.DEFAULT, clock, random);
        try (Interpreter interpreter = create(home)) {
            Program program = new Program(EXERCISE, "exercise.py", List.of("exercise.py"), Map.of(), GuestPath.HOME);
            if (!interpreter.run(program, SilentStreams.INSTANCE).equals(new Outcome.Exited(0))) {
                throw new IllegalStateException("Python does not run");
            }
        }
    }

    private record Guest(WasiGuest host, ResultLines results) {}

    private Guest guest(InterpreterHome home) {
        ResultLines results = new ResultLines();
        return new Guest(new WasiGuest(WasiProgram.EMPTY, home, results::write), results);
    }

    private Guest begin(WasmIsolate isolate, int pages, InterpreterHome home) {
        Guest guest = guest(home);
        if (!park.begin(isolate, pages, guest.host())) {
            guest.host().close();
            park.giveBack(isolate);
            throw new GloveboxException(ErrorCode.OVERLOADED, "the cell has no memory for one more interpreter");
        }
        return guest;
    }

    private PythonInterpreter adopt(WasmIsolate isolate, InterpreterHome home, Guest guest) {
        WasmProcess process = new WasmProcess(
                isolate,
                guest.host(),
                guest.host(),
                guest.results(),
                home.limits().memoryBytes(),
                park::giveBack);
        process.findInterruptCells();
        return new PythonInterpreter(process, home);
    }

    private int pages(ResourceLimits limits) {
        return WasmPages.within(limits, image.initialPages(), "Python");
    }

    @Override
    public boolean tidy() {
        return park.tidy();
    }

    @Override
    public void close() {
        park.close();
    }

    /// An interpreter that has booted once for nobody, in an isolate of its own.
    private final class Ready implements Warm {
        private final WasmIsolate isolate;

        Ready(WasmIsolate isolate) {
            this.isolate = isolate;
        }

        @Override
        public Interpreter claim(InterpreterHome home) {
            int pages = pages(home.limits());
            if (home.limits().memoryBytes() == ResourceLimits.DEFAULT.memoryBytes()) {
                return adopt(isolate, home, guest(home));
            }
            isolate.drop();
            return adopt(isolate, home, begin(isolate, pages, home));
        }

        @Override
        public void close() {
            park.giveBack(isolate);
        }
    }
}
