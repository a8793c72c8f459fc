package dev.glovebox.bench;

/// The same Python image as the product's, in bare V8: one isolate, the module compiled, warm. Belongs to one thread.
final class BarePython implements AutoCloseable {
    static final String MODULE = "python";

    private static final String FILE = "python.wasm";
    private static final int WARM_UP = 20;
    /// Instances that live at once; each holds 7 MB.
    private static final int BATCH = 10;

    private final Bare bare = new Bare();

    BarePython(Lab lab) {
        bare.compile(MODULE, lab.guest(FILE));
        fresh(WARM_UP, "print(1+1)", Runs.SUM);
    }

    /// A new instance, booted, runs the code.
    Samples fresh(int times, String code, String output) {
        Stopwatch stopwatch = new Stopwatch();
        for (int i = 0; i < times; i++) {
            stopwatch.time(() -> {
                int instance = booted();
                check(bare.python(instance, Bare.run(code)), output);
                bare.drop(instance);
            });
            if (i % BATCH == BATCH - 1) {
                bare.collect();
            }
        }
        return stopwatch.samples();
    }

    /// An instance that was booted before runs the code, once.
    Samples pooled(int times, String code, String output) {
        Stopwatch stopwatch = new Stopwatch();
        for (int done = 0; done < times; done += BATCH) {
            int[] instances = new int[BATCH];
            for (int i = 0; i < BATCH; i++) {
                instances[i] = booted();
            }
            for (int instance : instances) {
                stopwatch.time(() -> check(bare.python(instance, Bare.run(code)), output));
                bare.drop(instance);
            }
            bare.collect();
        }
        return stopwatch.samples();
    }

    /// One instance runs the code again and again.
    Samples steady(int times, String code) {
        int instance = booted();
        Samples samples = Stopwatch.repeat(times, () -> bare.python(instance, Bare.run(code)));
        bare.drop(instance);
        return samples;
    }

    /// An instance that is ready.
    int booted() {
        int instance = bare.make(MODULE);
        bare.python(instance, Bare.BOOT);
        return instance;
    }

    private static void check(String actual, String expected) {
        if (!actual.equals(expected)) {
            throw new BenchException("bare Python printed something else than it must");
        }
    }

    @Override
    public void close() {
        bare.close();
    }
}
