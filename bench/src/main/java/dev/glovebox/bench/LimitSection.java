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
import java.util.concurrent.atomic.AtomicLong;
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
    /// What a crowd needs until its first members are over, and it is what it will be from then on.
    private static final Duration SETTLE = Duration.ofSeconds(3);
    private static final Target OVERSHOOT = Target.atMost(50);
    private static final Target SLOWDOWN = Target.ratioAtMost(3);

    /// What a neighbour does.
    private record Work(String what, RunRequest request) {}

    private static final Work BRIEF = new Work("print(1+1)", Runs.python("print(1+1)"));
    private static final Work LONGER =
            new Work("300,000 rounds", Runs.python("s = 0\nfor i in range(300_000): s += i * i % 7\nprint(s)"));

    /// What the members of a crowd do.
    private enum Members {
        /// Run once.
        ONCE("at once"),
        /// Run for ever: each its own program, which the cell knows soon.
        THEIR_OWN("for ever, each its program"),
        /// Run for ever: always a program that nobody has seen.
        ALWAYS_NEW("for ever, always new programs");

        private final String words;

        Members(String words) {
            this.words = words;
        }
    }

    private static final AtomicLong PROGRAMS = new AtomicLong();

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
        overshoot(lab, product.client(), sheet, "wasm python", endlessPython(Runs.PYTHON_ENDLESS));
        RunRequest javaScript = Runs.of("javascript", "isolate", "for (;;);", Runs.wall(LIMIT_MILLIS));
        overshoot(lab, product.client(), sheet, "isolate javascript", javaScript);
        try (Glovebox other = product.tenant("neighbour")) {
            neighbours(lab, product, sheet, "another tenant", other);
        }
        neighbours(lab, product, sheet, "the same tenant", product.client());
    }

    private static RunRequest endlessPython(String code) {
        return Runs.of("python", "wasm", code, Runs.wall(LIMIT_MILLIS));
    }

    /// A program that no cell has met: what it did the last time must not help.
    private static String newProgram() {
        return Runs.PYTHON_ENDLESS + " # " + PROGRAMS.incrementAndGet();
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

    /// A neighbour's runs alone, beside a crowd of loops that all start at once, and beside crowds whose members start
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
                try (Crowd crowd = new Crowd(product.client(), Members.ONCE)) {
                    beside.addAll(watchWhile(crowd, neighbour, work.request));
                    overshoots.addAll(crowd.overshoots(sheet));
                }
            }
            slowdown(sheet, label(who, work, Members.ONCE), alone, Samples.of(beside), SLOWDOWN);
            Samples past = Samples.of(overshoots);
            String detail = "p50 " + Figure.number(past.median()) + ", n " + past.count();
            sheet.add("  the 100 past their limit, max", Figure.millis(past.max(), detail), null, OVERSHOOT);
            for (Members members : List.of(Members.THEIR_OWN, Members.ALWAYS_NEW)) {
                try (Crowd crowd = new Crowd(product.client(), members)) {
                    Thread.sleep(SETTLE);
                    Samples during = watch(neighbour, work.request, time);
                    slowdown(sheet, label(who, work, members), alone, during, null);
                    crowd.overshoots(sheet);
                }
            }
        }
    }

    private static String label(String who, Work work, Members members) {
        return who + ", " + work.what + ", " + CROWD + " " + members.words;
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
        private final Members members;
        private final AtomicBoolean over = new AtomicBoolean();
        private final CountDownLatch left = new CountDownLatch(CROWD);
        private final Queue<Long> overshoots = new ConcurrentLinkedQueue<>();
        private final Queue<String> failures = new ConcurrentLinkedQueue<>();

        Crowd(Glovebox client, Members members) {
            this.members = members;
            for (int i = 0; i < CROWD; i++) {
                Thread.ofVirtual().name("crowd-" + i).start(() -> loop(client));
            }
        }

        private void loop(Glovebox client) {
            String own = newProgram();
            try {
                do {
                    String code = members == Members.ALWAYS_NEW ? newProgram() : own;
                    RunResponse answer = client.run(endlessPython(code));
                    Runs.expectOutcome(answer, "timed_out");
                    overshoots.add(answer.usage().wallMicros() * 1000 - LIMIT_MILLIS * NANOS_PER_MILLI);
                } while (members != Members.ONCE && !over.get());
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
