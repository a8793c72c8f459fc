package dev.glovebox.bench;

/// From the start of `./glovebox serve` to the first good answer, and to the first run.
final class ServerSection implements Section {
    private static final int TIMES = 8;

    @Override
    public String name() {
        return "server";
    }

    @Override
    public String title() {
        return "./glovebox serve to ready: median; bare is a JVM that does nothing";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) {
        int times = lab.times(TIMES);
        Figure bare = Figure.median(Stopwatch.repeat(times, Commands::nothing));
        row(lab, sheet, "with the AOT cache", Product.Setting.DEFAULT, times, bare);
        row(lab, sheet, "without it", Product.Setting.COLD, times, bare);
    }

    private static void row(Lab lab, Sheet sheet, String what, Product.Setting setting, int times, Figure bare) {
        Stopwatch ready = new Stopwatch();
        Stopwatch firstRun = new Stopwatch();
        for (int i = 0; i < times; i++) {
            long begun = System.nanoTime();
            try (Product product = Product.start(lab.distribution(), setting)) {
                ready.add(product.startTook().toNanos());
                Runs.expect(product.client().run(Runs.python("print(1+1)")), Runs.SUM);
                firstRun.add(System.nanoTime() - begun);
            }
        }
        sheet.add(what, Figure.median(ready.samples()), bare, null);
        sheet.add(what + ", to the first run's answer", Figure.median(firstRun.samples()), bare, null);
    }
}
