package dev.glovebox.bench;

import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.LimitSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// How fast a large file goes into a Linux sandbox and comes out of it, beside a local copy in memory, in turn.
///
/// A virtual machine tells its host two seconds after it freed memory that it is free (free page reporting), and to ask
/// for it again takes several times as long as to copy into it. So that both meet the same, each is done twice in a
/// row,
/// and the second time counts: its memory is what the first has freed.
final class LinuxFiles {
    private static final long MIB = 1024 * 1024;
    private static final double MEGABYTE = 1e6;
    private static final long FILE_BYTES = 1000 * MIB;
    /// More than what a layer in memory can hold, so the sandbox has a disk. Much more than the file: ext4 begins to
    /// write when what is not written yet could not be placed twice.
    private static final long DISK_BYTES = 6144 * MIB;
    /// In gVisor the file's pages count as the sandbox's: with less they would be written to the disk meanwhile, at the
    /// rate of its limit.
    private static final long MEMORY_BYTES = 2048 * MIB;

    private static final Duration REPORTED = Duration.ofSeconds(3);
    private static final int ROUNDS = 7;
    private static final long WALL_MILLIS = 600_000;
    private static final String FILE = "bulk";

    private final LinuxCase one;
    private final long size;
    private final Bulk bulk;
    private int count;

    LinuxFiles(LinuxCase one) {
        this.one = one;
        this.size = one.lab().isQuick() ? FILE_BYTES / 5 : FILE_BYTES;
        this.bulk = new Bulk(size);
    }

    /// Megabytes in a second, and mebibytes that the server grew by.
    private record Round(double copy, double in, double grownIn, double out, double grownOut) {
        Round with(double bare) {
            return new Round(bare, in, grownIn, out, grownOut);
        }
    }

    void measure() {
        List<Round> rounds = new ArrayList<>();
        try (BareShell shell = new BareShell(one.here())) {
            shell.run("head -c " + size + " /dev/urandom >data/from");
            // The first one warms the server up.
            round(shell);
            for (int i = 0; i < one.lab().times(ROUNDS); i++) {
                rounds.add(round(shell));
            }
        }
        String detail = size / MIB + " MiB, " + rounds.size() + " in turn; bare: cp in memory";
        Target target = Target.ratioAtLeast(0.6);
        add("file in", detail, Round::in, rounds, target);
        add("file out", detail, Round::out, rounds, target);
        double grownIn = rounds.stream().mapToDouble(Round::grownIn).max().orElseThrow();
        double grownOut = rounds.stream().mapToDouble(Round::grownOut).max().orElseThrow();
        String each = "at the most; in " + Figure.number(grownIn) + ", out " + Figure.number(grownOut);
        Figure grown = new Figure(Math.max(grownIn, grownOut), "MiB", each);
        one.sheet().add(one.word() + " file, the server grew by", grown, null, null);
    }

    private Round round(BareShell shell) {
        awaitReported();
        copy(shell);
        double copy = copy(shell);
        awaitReported();
        transfer();
        return transfer().with(copy);
    }

    private Round transfer() {
        // Other limits each time, so that no pool makes another one beside the measurement.
        long disk = DISK_BYTES + MIB * count++;
        Sandbox sandbox = one.create(new LimitSet(WALL_MILLIS, WALL_MILLIS, MEMORY_BYTES, null, disk, null));
        try (MemoryWatch watchIn = new MemoryWatch(one.product().pid())) {
            long begun = System.nanoTime();
            sandbox.files().write(FILE, bulk.source());
            double in = rate(begun);
            try (MemoryWatch watchOut = new MemoryWatch(one.product().pid())) {
                Bulk.Check check = bulk.check();
                begun = System.nanoTime();
                sandbox.files().read(FILE, check);
                double out = rate(begun);
                check.end("a file came back");
                return new Round(0, in, mebibytes(watchIn), out, mebibytes(watchOut));
            }
        } finally {
            sandbox.kill();
        }
    }

    private static void awaitReported() {
        try {
            Thread.sleep(REPORTED);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    private double copy(BareShell shell) {
        long begun = System.nanoTime();
        shell.run("cp data/from data/to");
        double rate = rate(begun);
        shell.run("rm data/to");
        return rate;
    }

    private static double mebibytes(MemoryWatch watch) {
        return watch.grownBytes() / (double) MIB;
    }

    private double rate(long begun) {
        return size / MEGABYTE / ((System.nanoTime() - begun) / 1e9);
    }

    private void add(String what, String detail, ToDoubleFunction<Round> rate, List<Round> rounds, Target target) {
        Figure figure = new Figure(median(rounds, rate), "MB/s", detail);
        one.sheet().add(one.word() + " " + what, figure, new Figure(median(rounds, Round::copy), "MB/s", ""), target);
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> what) {
        double[] sorted = rounds.stream().mapToDouble(what).sorted().toArray();
        return Arrays.stream(sorted, (sorted.length - 1) / 2, sorted.length / 2 + 1)
                .average()
                .orElseThrow();
    }
}
