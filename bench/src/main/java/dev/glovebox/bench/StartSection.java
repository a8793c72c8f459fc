package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// From nothing to a run's whole answer, from the pool and without it, for each tier and language; one client.
final class StartSection implements Section {
    private static final int TIMES = 300;
    private static final int WARM_UP = 100;
    /// Until the server's and the cell's compilers have seen what they need; the target is for a running server.
    private static final Duration WARM_UP_TIME = Duration.ofSeconds(4);

    private static final int COLD = 50;
    /// More than any pool holds.
    private static final int VOLLEY = 24;

    private static final int VOLLEYS_MAX = 200;
    private static final int MODULE_BYTES = 50 * 1024;
    private static final String PRINT = "console.log(1+1)";

    /// One language in one tier.
    ///
    /// @param program another one each time, if need be
    /// @param barePooled an interpreter that is ready runs the same
    /// @param bareFresh making one is included
    private record Case(
            String name,
            Supplier<RunRequest> program,
            String output,
            @Nullable Supplier<Samples> barePooled,
            @Nullable Supplier<Samples> bareFresh,
            Targets targets) {}

    /// In milliseconds.
    private record Targets(
            @Nullable Target pooled,
            @Nullable Target pooledTail,
            @Nullable Target fresh) {
        static final Targets NONE = new Targets(null, null, null);
    }

    @Override
    public String name() {
        return "start";
    }

    @Override
    public String title() {
        return "POST /v1/run to its whole answer, one client: median";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        int times = lab.times(TIMES);
        Glovebox client = lab.freshProduct().client();
        Samples cold = Stopwatch.repeat(COLD, () -> Runs.expect(client.run(Runs.python("print(1+1)")), Runs.SUM));
        sheet.add("wasm python, the first " + COLD + " calls to a new server", Figure.median(cold), null, null);
        Samples floor = floor(client, times);
        sheet.add("HTTP alone (GET /readyz)", Figure.median(floor), null, null);
        Samples flush = Disk.flushes(lab.product().home(), times);
        sheet.add("the disk alone (one record flushed)", Figure.median(flush), null, null);
        try (BarePython python = new BarePython(lab)) {
            for (Case one : cases(lab, python, times)) {
                measure(lab.product(), one, times, sheet, floor);
            }
        }
    }

    private static List<Case> cases(Lab lab, BarePython python, int times) {
        WasmMaker modules = lab.modules();
        return List.of(
                new Case(
                        "wasm python",
                        () -> Runs.python("print(1+1)"),
                        Runs.SUM,
                        () -> python.pooled(times, "print(1+1)", Runs.SUM),
                        () -> python.fresh(times, "print(1+1)", Runs.SUM),
                        new Targets(Target.atMost(3), Target.atMost(15), Target.atMost(10))),
                new Case("wasm javascript", () -> Runs.javaScript("wasm", PRINT), Runs.SUM, null, null, Targets.NONE),
                new Case(
                        "wasm module, 50 KB, unknown",
                        () -> Runs.module(modules.make(MODULE_BYTES)),
                        WasmMaker.OUTPUT,
                        null,
                        () -> bareModules(modules, times),
                        new Targets(null, null, Target.atMost(12))),
                new Case(
                        "isolate javascript",
                        () -> Runs.javaScript("isolate", PRINT),
                        Runs.SUM,
                        () -> bareEvaluations(times),
                        () -> Stopwatch.repeat(times, () -> Bare.once("String(1+1)")),
                        new Targets(Target.atMost(3), null, Target.atMost(3))),
                new Case(
                        "isolate typescript",
                        () -> Runs.typeScript("const sum: number = 1 + 1; console.log(sum)"),
                        Runs.SUM,
                        () -> bareEvaluations(times),
                        () -> Stopwatch.repeat(times, () -> Bare.once("String(1+1)")),
                        Targets.NONE));
    }

    private static Samples floor(Glovebox client, int times) {
        Stopwatch.repeat(WARM_UP, client::isReady);
        return Stopwatch.repeat(times, client::isReady);
    }

    private static void measure(Product product, Case one, int times, Sheet sheet, Samples floor)
            throws InterruptedException {
        Glovebox client = product.client();
        Stopwatch pooled = new Stopwatch();
        Stopwatch fresh = new Stopwatch();
        Stopwatch guest = new Stopwatch();
        try {
            long warm = System.nanoTime() + WARM_UP_TIME.toNanos();
            while (System.nanoTime() < warm) {
                Runs.expect(client.run(one.program.get()), one.output);
            }
            for (int i = 0; i < times; i++) {
                RunRequest request = one.program.get();
                long begun = System.nanoTime();
                RunResponse answer = client.run(request);
                long took = System.nanoTime() - begun;
                Runs.expect(answer, one.output);
                (answer.usage().pooled() ? pooled : fresh).add(took);
                guest.add(answer.usage().wallMicros() * 1000);
            }
        } catch (RuntimeException e) {
            sheet.failure(one.name + ": " + e.getMessage());
            return;
        }
        boolean hasPool = !pooled.samples().isEmpty();
        report(one, pooled.samples(), hasPool ? exhausted(product, one, times / 6) : fresh.samples(), sheet);
        Samples all = pooled.samples().isEmpty() ? fresh.samples() : pooled.samples();
        double inGuest = guest.samples().median();
        double rest = all.median() - inGuest - floor.median();
        sheet.note("of which guest code " + Figure.number(inGuest) + " ms, HTTP " + Figure.number(floor.median())
                + " ms, everything else (the audit log's flush is in it) " + Figure.number(rest) + " ms");
    }

    private static void report(Case one, Samples pooled, Samples fresh, Sheet sheet) {
        if (!pooled.isEmpty()) {
            Figure bare = one.barePooled == null ? null : Figure.median(one.barePooled.get());
            sheet.add(one.name + ", pooled", Figure.median(pooled), bare, one.targets.pooled);
            if (one.targets.pooledTail != null) {
                Figure tail = Figure.millis(pooled.percentile(99), "max " + Figure.number(pooled.max()));
                sheet.add(one.name + ", pooled, p99", tail, null, one.targets.pooledTail);
            }
        }
        if (!fresh.isEmpty()) {
            Figure bare = one.bareFresh == null ? null : Figure.median(one.bareFresh.get());
            sheet.add(one.name + ", fresh", Figure.median(fresh), bare, one.targets.fresh);
        }
    }

    /// Runs that find the pool empty, because a volley has just used it up; refilling goes on beside them.
    private static Samples exhausted(Product product, Case one, int times) throws InterruptedException {
        Stopwatch fresh = new Stopwatch();
        for (int attempt = 0; attempt < VOLLEYS_MAX && fresh.nanos().size() < times; attempt++) {
            CountDownLatch landed = new CountDownLatch(VOLLEY);
            for (int i = 0; i < VOLLEY; i++) {
                Thread.ofVirtual().start(() -> {
                    try {
                        product.client().run(one.program.get());
                    } finally {
                        landed.countDown();
                    }
                });
            }
            landed.await();
            RunRequest request = one.program.get();
            long begun = System.nanoTime();
            RunResponse answer = product.client().run(request);
            long took = System.nanoTime() - begun;
            Runs.expect(answer, one.output);
            if (!answer.usage().pooled()) {
                fresh.add(took);
            }
        }
        return fresh.samples();
    }

    private static Samples bareModules(WasmMaker modules, int times) {
        Stopwatch stopwatch = new Stopwatch();
        for (int i = 0; i < times; i++) {
            byte[] module = modules.make(MODULE_BYTES);
            stopwatch.time(() -> {
                try (Bare bare = new Bare()) {
                    if (!bare.command(Lab.direct(module)).equals(WasmMaker.OUTPUT)) {
                        throw new BenchException("a bare module printed something else than it must");
                    }
                }
            });
        }
        return stopwatch.samples();
    }

    private static Samples bareEvaluations(int times) {
        Stopwatch stopwatch = new Stopwatch();
        for (int i = 0; i < times; i++) {
            try (Bare bare = new Bare()) {
                stopwatch.time(() -> bare.evaluate("String(1+1)"));
            }
        }
        return stopwatch.samples();
    }
}
