package dev.glovebox.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/// `./glovebox bench`: the figures of docs/SPECIFICATION.md, measured on this machine, each beside its bare
/// primitive in the same run. A figure that misses its target is no failure; a measurement that could not be made
/// is.
public final class Bench {
    private static final int STATUS_FAILED = 1;
    private static final int STATUS_USAGE = 2;

    private static final List<Section> SECTIONS = List.of(
            new StartSection(),
            new ThroughputSection(),
            new LoopSection(),
            new MemorySection(),
            new KillSection(),
            new LimitSection(),
            new BombSection(),
            new ServerSection(),
            new CommandLineSection(),
            new LinuxSection(),
            new EgressSection(),
            new DensitySection());

    private Bench() {}

    public static void main(String[] arguments) throws Exception {
        System.exit(run(arguments, System.out, System.err));
    }

    private static int run(String[] arguments, PrintStream out, PrintStream err) throws Exception {
        Options options;
        try {
            options = Options.parse(arguments);
            options.names().forEach(Bench::section);
        } catch (IllegalArgumentException e) {
            err.println("glovebox bench: " + e.getMessage());
            String names =
                    String.join(", ", SECTIONS.stream().map(Section::name).toList());
            err.printf(Options.USAGE, names);
            return STATUS_USAGE;
        }
        Distribution distribution = Distribution.find();
        if (options.soak().isPresent()) {
            return Soak.run(distribution, options, out) ? 0 : STATUS_FAILED;
        }
        return measure(distribution, options, out) ? 0 : STATUS_FAILED;
    }

    private static Section section(String name) {
        Optional<Section> found =
                SECTIONS.stream().filter(section -> section.name().equals(name)).findFirst();
        return found.orElseThrow(() -> new IllegalArgumentException("there is no section '" + name + "'"));
    }

    private static boolean measure(Distribution distribution, Options options, PrintStream out)
            throws IOException, InterruptedException {
        String load = Processes.load();
        out.println(
                "load before: " + load + "; processors: " + Runtime.getRuntime().availableProcessors());
        Bare.load(distribution.natives());
        Sheet sheet = new Sheet(out);
        List<Section> chosen = options.names().isEmpty()
                ? SECTIONS.stream().filter(Section::isPartOfAll).toList()
                : options.names().stream().map(Bench::section).toList();
        try (Lab lab = new Lab(distribution, options.quick(), options.seed())) {
            for (Section section : chosen) {
                sheet.section(section.name(), section.title());
                try {
                    section.measure(lab, sheet);
                } catch (RuntimeException e) {
                    sheet.failure(e.getClass().getSimpleName() + ": " + e.getMessage());
                    lab.lastWords().forEach(line -> sheet.note("the server said: " + line));
                }
            }
        }
        sheet.close();
        if (options.json().isPresent()) {
            sheet.writeJson(options.json().get(), load);
        }
        return !sheet.hasFailures();
    }
}
