package dev.glovebox.bench;

import dev.glovebox.sdk.OutputListener;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.RichResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How fast what programs print comes out of a Linux sandbox.
final class LinuxStreams {
    private static final long MIB = 1024 * 1024;
    private static final double MEGABYTE = 1e6;
    private static final int OUTPUT_BYTES = 100_000_000;
    private static final long OUTPUT_BYTES_MAX = 128 * MIB;
    private static final int OUTPUT_TIMES = 5;
    private static final String LINE = "0123456789abcdef";
    private static final long WALL_MILLIS = 600_000;

    private final LinuxCase one;

    LinuxStreams(LinuxCase one) {
        this.one = one;
    }

    /// What a program prints.
    void output() {
        int times = one.lab().times(OUTPUT_TIMES);
        // The smaller one first: it warms the server up for the larger.
        double tenth = output(OUTPUT_BYTES / 10, times);
        double most = output(OUTPUT_BYTES, one.lab().isQuick() ? 1 : 2);
        String name = one.word() + " output, 100 MB as fast as 10 MB";
        one.sheet().add(name, new Figure(most / tenth, "x", "1 is linear"), null, null);
    }

    private double output(int bytes, int times) {
        String program = "yes " + LINE + " | head -c " + bytes;
        double bare = 0;
        try (BareShell shell = one.bareShell()) {
            for (int i = 0; i < times; i++) {
                long begun = System.nanoTime();
                shell.drain(program, bytes);
                bare = Math.max(bare, rate(bytes, begun));
            }
        }
        Bulk expected = new Bulk(bytes, (LINE + "\n").getBytes(StandardCharsets.US_ASCII));
        LimitSet limits = new LimitSet(WALL_MILLIS, WALL_MILLIS, null, OUTPUT_BYTES_MAX, null, null);
        CommandRequest request = new CommandRequest(
                List.of("sh", "-c", program), null, null, null, null, null, null, null, null, limits);
        double best = 0;
        Sandbox sandbox = one.create(new LimitSet(WALL_MILLIS, WALL_MILLIS, null, OUTPUT_BYTES_MAX, null, null));
        try {
            for (int i = 0; i < times; i++) {
                Bulk.Check check = expected.check();
                long begun = System.nanoTime();
                LinuxCase.expectEnd(sandbox.run(request, new Into(check)));
                best = Math.max(best, rate(bytes, begun));
                check.end("the output of a program");
            }
        } finally {
            sandbox.kill();
        }
        add("output of " + bytes / 1_000_000 + " MB", best, "complete; the best of " + times, bare, null);
        return best;
    }

    /// Takes standard output.
    private record Into(Bulk.Check check) implements OutputListener {
        @Override
        public void stdout(byte[] bytes) {
            check.write(bytes, 0, bytes.length);
        }

        @Override
        public void stderr(byte[] bytes) {
            throw new BenchException("a program complained: " + new String(bytes, StandardCharsets.UTF_8).strip());
        }

        @Override
        public void result(RichResult result) {}
    }

    private static double rate(long bytes, long begun) {
        return bytes / MEGABYTE / ((System.nanoTime() - begun) / 1e9);
    }

    private void add(String what, double rate, String detail, double bare, @Nullable Target target) {
        one.sheet()
                .add(one.word() + " " + what, new Figure(rate, "MB/s", detail), new Figure(bare, "MB/s", ""), target);
    }
}
