package dev.glovebox.bench;

import dev.glovebox.sdk.Sandbox;
import java.time.Duration;
import java.util.List;

/// How soon nothing is left of a Linux sandbox, and what many that are wanted at once do to each other.
final class LinuxEnds {
    private static final int KILLS = 100;
    private static final int BURST = 50;
    private static final Duration RUN = Duration.ofMillis(60);
    private static final double GONE_MAX_MILLIS = 150;

    private final LinuxCase one;

    LinuxEnds(LinuxCase one) {
        this.one = one;
    }

    /// DELETE of a sandbox in which a loop runs.
    void kill() throws InterruptedException {
        int times = one.lab().times(KILLS);
        Stopwatch call = new Stopwatch();
        Stopwatch gone = new Stopwatch();
        Guests first = Guests.of(one.product());
        for (int i = 0; i < times; i++) {
            Guests before = Guests.of(one.product());
            Sandbox sandbox = one.create(LinuxCase.freshLimits());
            Endless endless = Endless.start(sandbox, "python", Runs.PYTHON_ENDLESS);
            Thread.sleep(RUN);
            Guests mine = Guests.of(one.product()).since(before);
            if (!mine.isOne()) {
                throw new BenchException("the groups and processes of one sandbox could not be told from others");
            }
            long begun = System.nanoTime();
            sandbox.kill();
            call.add(System.nanoTime() - begun);
            mine.awaitGone();
            gone.add(System.nanoTime() - begun);
            endless.awaitEnd();
        }
        String name = one.word() + " kill";
        one.sheet().add(name + ", call returns", Figure.median(call.samples()), null, null);
        one.sheet().add(name + ", processes and groups are gone", Figure.median(gone.samples()), null, null);
        Samples all = gone.samples();
        Figure tail = Figure.millis(all.percentile(99), "max " + Figure.number(all.max()));
        one.sheet().add(name + ", gone, p99", tail, null, Target.atMost(GONE_MAX_MILLIS));
        Guests left = Guests.of(one.product()).since(first);
        int count = left.groups().size() + left.processes().size() + Math.max(0, left.mounts());
        one.sheet()
                .add(
                        name + ", left after " + times,
                        new Figure(count, "", "processes, groups, mounts of the supervisor"),
                        null,
                        Target.atMost(0));
    }

    /// Many at once, pool and all.
    void burst() throws InterruptedException {
        int count = one.lab().times(BURST);
        Fleet fleet = new Fleet(one.word(), List.of(one.product().client()));
        try {
            fleet.create(count, count);
            Samples samples = fleet.creations();
            String failed = fleet.failures() == 0
                    ? "no error"
                    : fleet.failures() + " errors, the first: " + fleet.firstFailure();
            String name = one.word() + " burst of " + count + " creates";
            String detail = "max " + Figure.number(samples.max()) + "; " + failed;
            one.sheet().add(name, Figure.millis(samples.median(), detail), null, null);
            one.sheet().add(name + ", p99", Figure.millis(samples.percentile(99), ""), null, null);
        } finally {
            fleet.killAll(4);
        }
    }
}
