package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.SandboxRequest;
import java.util.ArrayList;
import java.util.List;

/// What an idle sandbox holds of memory, in the server and the cells together.
final class MemorySection implements Section {
    private static final int SANDBOXES = 100;
    private static final int SANDBOXES_BARE = 50;
    private static final double MIB = 1024.0 * 1024;
    private static final long SETTLE_MILLIS = 1500;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String title() {
        return "MiB of PSS for each of " + SANDBOXES + " idle sandboxes, server and cells together";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        Product product = lab.freshProduct();
        warmUp(product.client());
        Thread.sleep(SETTLE_MILLIS);
        row(product, sheet, "python", barePython(lab));
        row(product, sheet, "javascript", bareIsolates());
        Processes.Memory server = Processes.memory(product.pid());
        sheet.add("server alone, after that", mebibytes(server.residentBytes(), "RSS"), null, null);
        for (long cell : product.cells()) {
            Processes.Memory memory = Processes.memory(cell);
            String detail = "RSS; PSS " + Figure.number(memory.proportionalBytes() / MIB);
            sheet.add("one cell, after that", mebibytes(memory.residentBytes(), detail), null, null);
        }
    }

    private static void warmUp(Glovebox client) {
        for (int i = 0; i < 50; i++) {
            Runs.expect(client.run(Runs.python("print(1+1)")), Runs.SUM);
            Runs.expect(client.run(Runs.javaScript("isolate", "console.log(1+1)")), Runs.SUM);
        }
    }

    private static void row(Product product, Sheet sheet, String language, double bare) throws InterruptedException {
        String tier = language.equals("python") ? "wasm" : "isolate";
        Processes.Memory before = all(product);
        List<Sandbox> sandboxes = new ArrayList<>();
        try {
            for (int i = 0; i < SANDBOXES; i++) {
                sandboxes.add(product.client()
                        .sandboxes()
                        .create(new SandboxRequest(tier, language, null, null, null, null)));
            }
            Thread.sleep(SETTLE_MILLIS);
            Processes.Memory after = all(product);
            double each = (after.proportionalBytes() - before.proportionalBytes()) / MIB / SANDBOXES;
            double resident = (after.residentBytes() - before.residentBytes()) / MIB / SANDBOXES;
            String detail = "RSS " + Figure.number(resident);
            sheet.add(tier + " " + language, new Figure(each, "MiB", detail), new Figure(bare, "MiB", ""), null);
        } finally {
            sandboxes.forEach(Sandbox::kill);
        }
        Thread.sleep(SETTLE_MILLIS);
        double left = (all(product).proportionalBytes() - before.proportionalBytes()) / MIB;
        sheet.add(
                tier + " " + language + ", left after their end", new Figure(left, "MiB", "all together"), null, null);
    }

    private static Processes.Memory all(Product product) {
        return Processes.memory(product.pid()).plus(Processes.memory(product.cells()));
    }

    private static double barePython(Lab lab) {
        try (BarePython python = new BarePython(lab)) {
            long before = own();
            for (int i = 0; i < SANDBOXES_BARE; i++) {
                python.booted();
            }
            return (own() - before) / MIB / SANDBOXES_BARE;
        }
    }

    private static double bareIsolates() {
        List<Bare> isolates = new ArrayList<>();
        long before = own();
        for (int i = 0; i < SANDBOXES_BARE; i++) {
            Bare bare = new Bare();
            bare.evaluate("String(1+1)");
            isolates.add(bare);
        }
        double each = (own() - before) / MIB / SANDBOXES_BARE;
        isolates.forEach(Bare::close);
        return each;
    }

    private static long own() {
        return Processes.memory(ProcessHandle.current().pid()).proportionalBytes();
    }

    private static Figure mebibytes(long bytes, String detail) {
        return new Figure(bytes / MIB, "MiB", detail);
    }
}
