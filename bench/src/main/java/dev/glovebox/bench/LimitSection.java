package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// How exactly a time limit bites, and what a crowd of endless loops does to somebody else.
final class LimitSection implements Section {
    private static final int TIMES = 40;
    private static final long LIMIT_MILLIS = 200;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int CROWD = 100;
    private static final Duration WATCH = Duration.ofSeconds(6);
    private static final Duration WATCH_QUICK = Duration.ofSeconds(2);
    private static final int BURSTS = 8;
    private static final Target OVERSHOOT = Target.atMost(50);
    private static final Target SLOWDOWN = Target.ratioAtMost(3);

    /// What a neighbour does.
    private record Work(String what, RunRequest request) {}

    private static final Work BRIEF = new Work("print(1+1)", Runs.python("print(1+1)"));
    private static final Work LONGER =
            new Work("300,000 rounds", Runs.python("s = 0\nfor i in range(300_000): s += i * i % 7\nprint(s)"));

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
        sheet.add(what + ", median", Figure.millis(samples.median(), detail), null, OVERSHOOT);
        sheet.add(what + ", max of " + times, Figure.millis(samples.max(), ""), null, OVERSHOOT);
    }

    /// A neighbour's runs alone, beside a crowd of loops that all start at once, and beside one whose members start
    /// again as soon as they have ended, which is more than the machine can do and asks who gets how much.
    private static void neighbours(Lab lab, Product product, Sheet sheet, String who, Glovebox neighbour)
            throws InterruptedException {
        Duration time = lab.isQuick() ? WATCH_QUICK : WATCH;
        for (Work work : List.of(BRIEF, LONGER)) {
            watch(neighbour, work.request, Duration.ofSeconds(1));
            Samples alone = watch(neighbour, work.request, time);
            List<Long> beside = new ArrayList<>();
            List<Long> overshoots = new ArrayList<>();
            for (int i = 0; i < lab.times(BURSTS); i++) {
                try (Crowd crowd = new Crowd(product.client(), false)) {
                    beside.addAll(watchWhile(crowd, neighbour, work.request));
                    overshoots.addAll(crowd.overshoots(sheet));
                }
            }
            slowdown(sheet, who + ", " + work.what + ", 100 at once", alone, Samples.of(beside), SLOWDOWN);
            Samples past = Samples.of(overshoots);
            String detail = "p50 " + Figure.number(past.median()) + ", n " + past.count();
            sheet.add("  the 100 past their limit, max", Figure.millis(past.max(), detail), null, OVERSHOOT);
            try (Crowd crowd = new Crowd(product.client(), true)) {
                Samples during = watch(neighbour, work.request, time);
                slowdown(sheet, who + ", " + work.what + ", 100 for ever", alone, during, null);
                crowd.overshoots(sheet);
            }
        }
    }

    private static void slowdown(Sheet sheet, String what, Samples alone, Samples beside, @Nullable Target target) {
        sheet.add(what, Figure.median(beside), Figure.median(alone), target);
    }

    private static List<Long> watchWhile(Crowd crowd, Glovebox client, RunRequest request) {
        Stopwatch stopwatch = new Stopwatch();
        while (crowd.isThere()) {
            stopwatch.time(() -> Runs.expectOutcome(client.run(request), "exited"));
        }
        return stopwatch.nanos();
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

    /// So many clients that each run one endless loop, or one after the other.
    private static final class Crowd implements AutoCloseable {
        private final boolean forEver;
        private final AtomicBoolean over = new AtomicBoolean();
        private final CountDownLatch left = new CountDownLatch(CROWD);
        private final Queue<Long> overshoots = new ConcurrentLinkedQueue<>();
        private final Queue<String> failures = new ConcurrentLinkedQueue<>();

        Crowd(Glovebox client, boolean forEver) {
            this.forEver = forEver;
            for (int i = 0; i < CROWD; i++) {
                Thread.ofVirtual().name("crowd-" + i).start(() -> loop(client));
            }
        }

        private void loop(Glovebox client) {
            RunRequest request = endlessPython();
            try {
                do {
                    RunResponse answer = client.run(request);
                    Runs.expectOutcome(answer, "timed_out");
                    overshoots.add(answer.usage().wallMicros() * 1000 - LIMIT_MILLIS * NANOS_PER_MILLI);
                } while (forEver && !over.get());
            } catch (RuntimeException e) {
                failures.add(String.valueOf(e.getMessage()));
            } finally {
                left.countDown();
            }
        }

        boolean isThere() {
            return left.getCount() > 0;
        }

        List<Long> overshoots(Sheet sheet) {
            if (!failures.isEmpty()) {
                sheet.failure(failures.size() + " loops of a crowd: " + failures.peek());
            }
            return List.copyOf(overshoots);
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
