package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Interpreter;
import dev.glovebox.cell.InterpreterHome;
import dev.glovebox.cell.InterpreterSource;
import dev.glovebox.core.ResourceLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/// Makes Python interpreters from one image, and that image anew from time to time ([PythonRenewal]).
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

    private final PythonMaker maker;
    private final PythonRenewal renewal;

    /// @param module `python.wasm`
    /// @param start `python-start.wasm`
    public PythonSource(
            byte[] module, StartMemory start, PythonLibrary library, InstantSource clock, RandomGenerator random) {
        this(module, start, library, clock, random, PythonRenewal.AGE_MAX);
    }

    /// For tests, which wait less.
    PythonSource(
            byte[] module,
            StartMemory start,
            PythonLibrary library,
            InstantSource clock,
            RandomGenerator random,
            Duration ageMax) {
        maker = new PythonMaker(WasmImage.of(module), library, clock, random);
        renewal = new PythonRenewal(maker, start, ageMax);
    }

    @Override
    public Interpreter create(InterpreterHome home) {
        int pages = maker.pages(home.limits());
        renewal.used();
        return maker.begin(maker.park().take(), pages, home);
    }

    @Override
    public Warm prepare() {
        WasmImage image = maker.park().image();
        WasmIsolate isolate = maker.park().take();
        PythonInterpreter probed = maker.begin(isolate, maker.pages(ResourceLimits.DEFAULT), maker.nobody());
        if (!probed.probe()) {
            probed.close();
            throw new IllegalStateException("Python does not answer");
        }
        return new Ready(isolate, image);
    }

    @Override
    public boolean renew() {
        return renewal.renew();
    }

    @Override
    public void exercise() {
        WasmImage image = maker.park().image();
        if (!image.hasLearnt()) {
            maker.learn(image);
        }
        maker.run(image, EXERCISE, SilentStreams.INSTANCE);
    }

    @Override
    public boolean tidy() {
        return maker.park().tidy();
    }

    @Override
    public void close() {
        maker.close();
    }

    /// An interpreter that has booted once for nobody, in an isolate of its own.
    private final class Ready implements Warm {
        private final WasmIsolate isolate;
        private final WasmImage image;

        Ready(WasmIsolate isolate, WasmImage image) {
            this.isolate = isolate;
            this.image = image;
        }

        @Override
        public Interpreter claim(InterpreterHome home) {
            int pages = maker.pages(home.limits());
            renewal.used();
            if (home.limits().memoryBytes() == ResourceLimits.DEFAULT.memoryBytes()) {
                return maker.adopt(isolate, home);
            }
            isolate.drop();
            return maker.begin(isolate, pages, home);
        }

        @Override
        public boolean isCurrent() {
            return image == maker.park().image();
        }

        @Override
        public void close() {
            maker.park().giveBack(isolate);
        }
    }
}
