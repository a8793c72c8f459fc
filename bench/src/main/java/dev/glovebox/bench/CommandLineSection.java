package dev.glovebox.bench;

import java.nio.file.Path;
import java.util.List;

/// Whole processes of the command line, as a shell sees them.
final class CommandLineSection implements Section {
    private static final int TIMES = 20;
    private static final int WARM_UP = 2;
    private static final double ALONE_MAX = 700;
    private static final double WITH_SERVER_MAX = 300;
    private static final List<String> PRIMES = List.of("run", "examples/primes.py");
    private static final String PRIMES_SAY = "25 primes up to 100";

    @Override
    public String name() {
        return "cli";
    }

    @Override
    public String title() {
        return "./glovebox run examples/primes.py, whole process: median; bare is a JVM that does nothing";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) {
        int times = lab.times(TIMES);
        Distribution distribution = lab.distribution();
        Figure bare = Figure.median(Stopwatch.repeat(times, Commands::nothing));
        Path home = TemporaryTree.create("glovebox-bench-cli");
        try {
            Samples alone = runs(distribution, home, times);
            sheet.add("without a server", Figure.median(alone), bare, Target.atMost(ALONE_MAX));
        } finally {
            TemporaryTree.delete(home);
        }
        Samples served = runs(distribution, lab.product().home(), times);
        sheet.add("with a server", Figure.median(served), bare, Target.atMost(WITH_SERVER_MAX));
    }

    private static Samples runs(Distribution distribution, Path home, int times) {
        List<String> arguments =
                List.of("run", distribution.root().resolve(PRIMES.get(1)).toString());
        Stopwatch.repeat(WARM_UP, () -> Commands.glovebox(distribution, home, arguments, PRIMES_SAY));
        return Stopwatch.repeat(times, () -> Commands.glovebox(distribution, home, arguments, PRIMES_SAY));
    }
}
