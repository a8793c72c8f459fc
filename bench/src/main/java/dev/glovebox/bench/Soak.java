package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `./glovebox bench soak`: a random mix of everything for a long time, and what grows meanwhile.
final class Soak {
    private static final Duration WARM_UP = Duration.ofMinutes(1);
    private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(10);
    /// Longer than the leases that the load leaves behind.
    private static final Duration QUIET = Duration.ofSeconds(8);
    private static final List<String> TENANTS = List.of("soak-a", "soak-b");

    private final PrintStream out;
    private final Vitals vitals;

    private Soak(Product product, PrintStream out) {
        this.out = out;
        this.vitals = new Vitals(product);
    }

    /// Soaks, prints what came of it; false if something leaks, went wrong or was left behind.
    static boolean run(Distribution distribution, Options options, PrintStream out)
            throws IOException, InterruptedException {
        Duration time = options.soak().orElseThrow();
        out.println("soak of " + time.toMinutes() + " minutes, seed " + options.seed() + "; load before: "
                + Processes.load());
        try (Product product = Product.start(distribution, Product.Setting.DEFAULT)) {
            List<Glovebox> clients = new ArrayList<>();
            TENANTS.forEach(tenant -> clients.add(product.tenant(tenant)));
            try {
                return new Soak(product, out).soak(clients, time, options.seed());
            } finally {
                clients.forEach(Glovebox::close);
            }
        }
    }

    private boolean soak(List<Glovebox> clients, Duration time, long seed) throws InterruptedException {
        List<Vitals.Sample> samples = new ArrayList<>();
        Vitals.Sample start;
        Vitals.Sample end;
        SoakLoad load = new SoakLoad(clients, seed);
        try (load) {
            load.resume();
            Thread.sleep(WARM_UP);
            start = quiet(load, clients);
            out.println("after the warm-up: " + start.text());
            load.resume();
            long over = System.nanoTime() + time.toNanos();
            while (System.nanoTime() < over) {
                Thread.sleep(BETWEEN_SAMPLES);
                Vitals.Sample sample = vitals.take();
                samples.add(sample);
                out.println(sample.text() + "; " + load.progress());
            }
            end = quiet(load, clients);
        }
        out.println("at the end: " + end.text());
        boolean leaks = false;
        out.printf(
                Locale.ROOT,
                "%n%-22s %10s %10s %14s %11s %s%n",
                "quantity",
                "start",
                "end",
                "fit, per hour",
                "tolerance",
                "verdict");
        for (Vitals.Quantity quantity : Vitals.Quantity.values()) {
            leaks |= !verdict(quantity, start, end, samples);
        }
        load.report(out);
        return !leaks && load.errors() == 0;
    }

    /// Waits until what the load has left behind is over.
    private Vitals.Sample quiet(SoakLoad load, List<Glovebox> clients) throws InterruptedException {
        load.pause();
        Thread.sleep(QUIET);
        vitals.expectNoSandboxes(clients);
        return vitals.takeCollected();
    }

    /// A quantity leaks if it is higher at the end than at the start by more than its tolerance, and if the line
    /// through the samples under load climbs by as much. (Of the heap these hold garbage: only the ends count.)
    private boolean verdict(
            Vitals.Quantity quantity, Vitals.Sample start, Vitals.Sample end, List<Vitals.Sample> samples) {
        double growth = end.of(quantity) - start.of(quantity);
        double slope = Fit.slope(
                samples.stream().map(sample -> sample.seconds()).toList(),
                samples.stream().map(sample -> sample.of(quantity)).toList());
        double fitted = samples.isEmpty()
                ? 0
                : slope * (samples.getLast().seconds() - samples.getFirst().seconds());
        boolean grows = growth > quantity.tolerance();
        boolean climbs = fitted > quantity.tolerance() || quantity == Vitals.Quantity.SERVER_HEAP;
        String verdict = grows && climbs ? "LEAK" : grows ? "grew, but does not climb" : "no leak";
        out.printf(
                Locale.ROOT,
                "%-22s %10s %10s %14s %11s %s%n",
                quantity.words(),
                Figure.number(start.of(quantity)),
                Figure.number(end.of(quantity)),
                Figure.number(slope * Duration.ofHours(1).toSeconds()),
                Figure.number(quantity.tolerance()),
                verdict);
        return !(grows && climbs);
    }
}
