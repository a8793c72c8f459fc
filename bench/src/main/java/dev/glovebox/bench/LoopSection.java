package dev.glovebox.bench;

import dev.glovebox.sdk.CodeContext;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.RunResponse;
import dev.glovebox.wire.api.SandboxRequest;

/// How fast guest code runs once V8 knows it: the same module in the product and in bare V8.
final class LoopSection implements Section {
    private static final String LOOP = "for i in range(10**6): pass";
    private static final String WORK = "s = 0\nfor i in range(10**6): s += i * i % 7";
    private static final int TIMES = 30;
    private static final int WARM_UP = 5;
    private static final double RATIO_MAX = 1.5;

    @Override
    public String name() {
        return "loop";
    }

    @Override
    public String title() {
        return "a million rounds in wasm Python, guest's own clock: median";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        int times = lab.times(TIMES);
        Glovebox client = lab.product().client();
        try (BarePython python = new BarePython(lab)) {
            row(client, python, sheet, "for i in range(10**6): pass", LOOP, times);
            row(client, python, sheet, "s += i * i % 7, 10**6 times", WORK, times);
        }
    }

    private static void row(Glovebox client, BarePython python, Sheet sheet, String what, String code, int times) {
        python.steady(WARM_UP, code);
        Figure bare = Figure.median(python.steady(times, code));
        sheet.add(what + ", run", Figure.median(runs(client, code, times)), bare, Target.ratioAtMost(RATIO_MAX));
        sheet.add(what + ", context", Figure.median(context(client, code, times)), bare, Target.ratioAtMost(RATIO_MAX));
    }

    private static Samples runs(Glovebox client, String code, int times) {
        Stopwatch stopwatch = new Stopwatch();
        for (int i = -WARM_UP; i < times; i++) {
            RunResponse answer = client.run(Runs.python(code));
            Runs.expect(answer, "");
            if (i >= 0) {
                stopwatch.add(answer.usage().wallMicros() * 1000);
            }
        }
        return stopwatch.samples();
    }

    private static Samples context(Glovebox client, String code, int times) {
        Sandbox sandbox = client.sandboxes().create(new SandboxRequest("wasm", "python", null, null, null, null));
        Stopwatch stopwatch = new Stopwatch();
        try (CodeContext context = sandbox.contexts().open("python")) {
            for (int i = -WARM_UP; i < times; i++) {
                ExecutionResponse answer = context.execute(code);
                if (!answer.outcome().word().equals("exited")) {
                    throw new BenchException(
                            "an execution ended otherwise: " + answer.outcome().sentence());
                }
                if (i >= 0) {
                    stopwatch.add(answer.usage().wallMicros() * 1000);
                }
            }
        } finally {
            sandbox.kill();
        }
        return stopwatch.samples();
    }
}
