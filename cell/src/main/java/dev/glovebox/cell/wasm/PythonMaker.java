package dev.glovebox.cell.wasm;

import dev.glovebox.cell.GuestStreams;
import dev.glovebox.cell.InterpreterHome;
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

/// Makes instances of Python images, for sandboxes and for ourselves. Thread-safe.
final class PythonMaker implements AutoCloseable {
    private static final byte[] SMALLEST = "print(1 + 1)".getBytes(StandardCharsets.UTF_8);

    private final IsolatePark park;
    private final PythonLibrary library;
    private final InstantSource clock;
    private final RandomGenerator random;

    PythonMaker(WasmImage image, PythonLibrary library, InstantSource clock, RandomGenerator random) {
        park = new IsolatePark(image, WasiGuest.NAMES);
        this.library = library;
        this.clock = clock;
        this.random = random;
    }

    IsolatePark park() {
        return park;
    }

    /// A home for what runs on nobody's behalf.
    InterpreterHome nobody() {
        MemoryFileSystem nowhere = new MemoryFileSystem(ResourceLimits.DEFAULT, clock, random);
        library.mountIn(nowhere);
        return new InterpreterHome(nowhere, ResourceLimits.DEFAULT, clock, random);
    }

    /// Makes an instance of the image that is in use, in an isolate that has none.
    ///
    /// @param pages the most that its memory may grow to
    PythonInterpreter begin(WasmIsolate isolate, int pages, InterpreterHome home) {
        Guest guest = new Guest(home);
        return began(park.begin(isolate, pages, guest.host), isolate, home, guest);
    }

    /// The same of another image, which the caller holds.
    private PythonInterpreter begin(WasmIsolate isolate, WasmImage image) {
        InterpreterHome home = nobody();
        Guest guest = new Guest(home);
        return began(park.begin(isolate, image, pages(home.limits()), guest.host), isolate, home, guest);
    }

    private PythonInterpreter began(boolean worked, WasmIsolate isolate, InterpreterHome home, Guest guest) {
        if (!worked) {
            guest.host.close();
            park.giveBack(isolate);
            throw new GloveboxException(ErrorCode.OVERLOADED, "the cell has no memory for one more interpreter");
        }
        return adopt(isolate, home, guest);
    }

    /// Makes the instance in an isolate that of a home.
    PythonInterpreter adopt(WasmIsolate isolate, InterpreterHome home) {
        return adopt(isolate, home, new Guest(home));
    }

    private PythonInterpreter adopt(WasmIsolate isolate, InterpreterHome home, Guest guest) {
        WasmProcess process = new WasmProcess(
                isolate, guest.host, guest.host, guest.results, home.limits().memoryBytes(), park::giveBack);
        process.findInterruptCells();
        return new PythonInterpreter(process, home);
    }

    /// An image with a hash seed that there has not been. No program runs in it before its memory is taken.
    WasmImage start(StartMemory memory) {
        WasmIsolate isolate = park.take();
        try (WasmImage unstarted = park.image().withMemory(memory);
                WasiGuest host = new Guest(nobody()).host) {
            boolean started = park.begin(isolate, unstarted, pages(ResourceLimits.DEFAULT), host)
                    && isolate.call("gb_init") == WasmIsolate.End.RETURNED;
            LinearMemory live = isolate.memory();
            if (!started || live == null) {
                throw new IllegalStateException("Python does not start");
            }
            return unstarted.withMemory(live);
        } finally {
            park.giveBack(isolate);
        }
    }

    /// Runs the smallest program and lets the image learn which pages every program writes to.
    void learn(WasmImage image) {
        WasmIsolate isolate = park.take();
        try (PythonInterpreter interpreter = begin(isolate, image)) {
            interpreter.run(program(SMALLEST), SilentStreams.INSTANCE);
            LinearMemory memory = isolate.memory();
            if (memory != null) {
                image.learnFrom(memory.address());
            }
        }
    }

    /// Runs a program of ours in an instance of its own.
    void run(WasmImage image, byte[] code, GuestStreams streams) {
        try (PythonInterpreter interpreter = begin(park.take(), image)) {
            if (!interpreter.run(program(code), streams).equals(new Outcome.Exited(0))) {
                throw new IllegalStateException("Python does not run");
            }
        }
    }

    private static Program program(byte[] code) {
        return new Program(code, "main.py", List.of("main.py"), Map.of(), GuestPath.HOME);
    }

    /// How many pages the limits allow.
    int pages(ResourceLimits limits) {
        return WasmPages.within(limits, park.image().initialPages(), "Python");
    }

    @Override
    public void close() {
        park.close();
    }

    /// The host functions of one instance.
    private static final class Guest {
        private final ResultLines results = new ResultLines();
        private final WasiGuest host;

        Guest(InterpreterHome home) {
            host = new WasiGuest(WasiProgram.EMPTY, home, results::write);
        }
    }
}
