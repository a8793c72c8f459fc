package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/// How exactly a time limit bites, and what a crowd of endless loops does to somebody else.
final class LimitSection implements Section {
    private static final int TIMES = 40;
    private static final long LIMIT_MILLIS = 200;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int CROWD = 100;
    private static final Duration WATCH = Duration.ofSeconds(6);
    private static final Duration WATCH_QUICK = Duration.ofSeconds(2);
    private static final double OVERSHOOT_MAX = 50;
    private static final double SLOWDOWN_MAX = 3;
    private static final String WORK = "s = 0\nfor i in range(300_000): s += i * i % 7\nprint(s)";

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public String title() {
        return "time past a wall limit of " + LIMIT_MILLIS + " ms; a neighbour beside " + CROWD + " endless loops";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        Product product = lab.product();
        overshoot(lab, product.client(), sheet, "wasm python", endlessPython());
        RunRequest javaScript = Runs.of("javascript", "isolate", "for (;;);", Runs.wall(LIMIT_MILLIS));
        overshoot(lab, product.client(), sheet, "isolate javascript", javaScript);
        try (Glovebox other = product.tenant("neighbour")) {
            neighbours(lab, product, sheet, "another tenant", other);
        }
        neighbours(lab, product, sheet, "the same tenant", product.client());
    }

    private static RunRequest endlessPython() {
        return Runs.of("python", "wasm", Runs.PYTHON_ENDLESS, Runs.wall(LIMIT_MILLIS));
    }

    private static void overshoot(Lab lab, Glovebox client, Sheet sheet, String what, RunRequest request) {
        Stopwatch seen = new Stopwatch();
        Stopwatch measured = new Stopwatch();
        int times = lab.times(TIMES);
        for (int i = 0; i < times; i++) {
            long begun = System.nanoTime();
            RunResponse answer = client.run(request);
            seen.add(System.nanoTime() - begun - LIMIT_MILLIS * NANOS_PER_MILLI);
            Runs.expectOutcome(answer, "timed_out");
            measured.add(answer.usage().wallMicros() * 1000 - LIMIT_MILLIS * NANOS_PER_MILLI);
        }
        Samples samples = seen.samples();
        Samples inside = measured.samples();
        String detail =
                "guest's own clock: p50 " + Figure.number(inside.median()) + ", max " + Figure.number(inside.max());
        sheet.add(what + ", median", Figure.millis(samples.median(), detail), null, Target.atMost(OVERSHOOT_MAX));
        sheet.add(what + ", max of " + times, Figure.millis(samples.max(), ""), null, Target.atMost(OVERSHOOT_MAX));
    }

    /// A neighbour's runs alone, and beside a crowd that starts its loops again as soon as they have ended.
    private static void neighbours(Lab lab, Product product, Sheet sheet, String who, Glovebox neighbour)
            throws InterruptedException {
        Duration time = lab.isQuick() ? WATCH_QUICK : WATCH;
        RunRequest brief = Runs.python("print(1+1)");
        RunRequest working = Runs.python(WORK);
        watch(neighbour, brief, Duration.ofSeconds(1));
        watch(neighbour, working, Duration.ofSeconds(1));
        Samples briefAlone = watch(neighbour, brief, time);
        Samples workAlone = watch(neighbour, working, time);
        try (Crowd crowd = new Crowd(product.client())) {
            Samples briefBeside = watch(neighbour, brief, time);
            Samples workBeside = watch(neighbour, working, time);
            slowdown(sheet, who + ", print(1+1)", briefAlone, briefBeside);
            slowdown(sheet, who + ", 300,000 rounds", workAlone, workBeside);
            crowd.report(sheet, who);
        }
    }

    private static void slowdown(Sheet sheet, String what, Samples alone, Samples beside) {
        sheet.add(what, Figure.median(beside), Figure.median(alone), Target.ratioAtMost(SLOWDOWN_MAX));
    }

    private static Samples watch(Glovebox client, RunRequest request, Duration time) {
        Stopwatch stopwatch = new Stopwatch();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            stopwatch.time(() -> {
                RunResponse answer = client.run(request);
                Runs.expectOutcome(answer, "exited");
            });
        }
        return stopwatch.samples();
    }

    /// So many clients that each run one endless loop after the other.
    private static final class Crowd implements AutoCloseable {
        private final AtomicBoolean over = new AtomicBoolean();
        private final CountDownLatch left = new CountDownLatch(CROWD);
        private final List<Stopwatch> overshoots = new ArrayList<>();
        private final AtomicReference<String> failure = new AtomicReference<>("");

        Crowd(Glovebox client) {
            for (int i = 0; i < CROWD; i++) {
                Stopwatch overshoot = new Stopwatch();
                overshoots.add(overshoot);
                Thread.ofVirtual().name("crowd-" + i).start(() -> loop(client, overshoot));
            }
        }

        private void loop(Glovebox client, Stopwatch overshoot) {
            RunRequest request = endlessPython();
            try {
                while (!over.get()) {
                    RunResponse answer = client.run(request);
                    Runs.expectOutcome(answer, "timed_out");
                    long past = answer.usage().wallMicros() * 1000 - LIMIT_MILLIS * NANOS_PER_MILLI;
                    synchronized (overshoot) {
                        overshoot.add(past);
                    }
                }
            } catch (RuntimeException e) {
                failure.compareAndSet("", String.valueOf(e.getMessage()));
            } finally {
                left.countDown();
            }
        }

        void report(Sheet sheet, String who) {
            List<Long> all = new ArrayList<>();
            for (Stopwatch overshoot : overshoots) {
                synchronized (overshoot) {
                    all.addAll(overshoot.nanos());
                }
            }
            Samples samples = Samples.of(all);
            Figure past = Figure.millis(samples.max(), "p50 " + Figure.number(samples.median()) + ", n " + all.size());
            sheet.add(who + ", the crowd itself past its limit, max", past, null, Target.atMost(OVERSHOOT_MAX));
            if (!failure.get().isEmpty()) {
                sheet.failure("the crowd beside " + who + ": " + failure.get());
            }
        }

        @Override
        public void close() {
            over.set(true);
            try {
                left.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
