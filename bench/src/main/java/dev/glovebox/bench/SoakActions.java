package dev.glovebox.bench;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.CodeContext;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.OutputListener;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.sdk.SandboxFiles;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.OutcomeReport;
import dev.glovebox.wire.api.RichResult;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import dev.glovebox.wire.api.SandboxRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// What one client of the soak can do: each action checks what came of it, and leaves nothing alive for longer than a
/// lease of [#LEASE_SECONDS]. Belongs to one thread.
final class SoakActions {
    static final long LEASE_SECONDS = 3;

    private static final int MODULE_BYTES = 20 * 1024;
    private static final long MIB = 1024 * 1024;
    private static final LimitSet FLOOD = new LimitSet(10_000L, null, null, MIB, null, null);

    private final Glovebox client;
    private final Random random;
    private final WasmMaker modules;

    SoakActions(Glovebox client, Random random) {
        this.client = client;
        this.random = random;
        this.modules = new WasmMaker(random);
    }

    /// One step of the load.
    interface Step {
        void act(SoakActions actions) throws InterruptedException;
    }

    /// A step with a name, and how often it comes in comparison with others.
    record Action(String name, int weight, Step step) {}

    private static final class AbortException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final List<Action> ALL = List.of(
            new Action("python", 20, SoakActions::python),
            new Action("quickjs", 8, SoakActions::quickJs),
            new Action("javascript", 14, SoakActions::javaScript),
            new Action("typescript", 6, SoakActions::typeScript),
            new Action("module", 6, SoakActions::module),
            new Action("run with files", 6, SoakActions::runWithFiles),
            new Action("files", 5, SoakActions::files),
            new Action("context", 6, SoakActions::context),
            new Action("stdin", 4, SoakActions::standardInput),
            new Action("timeout", 6, SoakActions::timeout),
            new Action("bomb", 4, SoakActions::bomb),
            new Action("flood", 4, SoakActions::flood),
            new Action("recursion", 3, SoakActions::recursion),
            new Action("abort", 5, SoakActions::abort),
            new Action("kill", 4, SoakActions::kill),
            new Action("lease", 3, SoakActions::lease),
            new Action("bad request", 4, SoakActions::badRequest));

    static Action pick(Random random) {
        int ticket = random.nextInt(ALL.stream().mapToInt(Action::weight).sum());
        for (Action action : ALL) {
            ticket -= action.weight;
            if (ticket < 0) {
                return action;
            }
        }
        return ALL.getLast();
    }

    private void python() {
        int number = random.nextInt(1000);
        expect(client.run(Runs.python("print(" + number + " * 2)")), 2 * number + "\n");
    }

    private void quickJs() {
        int number = random.nextInt(1000);
        expect(client.run(Runs.javaScript("wasm", "console.log(" + number + " * 2)")), 2 * number + "\n");
    }

    private void javaScript() {
        int number = random.nextInt(1000);
        expect(client.run(Runs.javaScript("isolate", "console.log(" + number + " * 2)")), 2 * number + "\n");
    }

    private void typeScript() {
        int number = random.nextInt(1000);
        String code = "const n: number = " + number + "; console.log(n * 2)";
        expect(client.run(Runs.typeScript(code)), 2 * number + "\n");
    }

    private void module() {
        expect(client.run(Runs.module(modules.make(MODULE_BYTES))), WasmMaker.OUTPUT);
    }

    private void runWithFiles() {
        String text = "x".repeat(random.nextInt(100_000));
        RunRequest request = new RunRequest(
                "python",
                null,
                "open('out.txt', 'w').write(open('in.txt').read()[::-1])",
                null,
                null,
                null,
                null,
                null,
                Map.of("in.txt", new Content(text, null)),
                List.of("out.txt"),
                null,
                null);
        RunResponse answer = client.run(request);
        expect(answer, "");
        Content out = answer.files().values().stream().findFirst().orElse(new Content(null, null));
        if (!text.equals(out.text())) {
            throw new BenchException("a file did not come back as it must");
        }
    }

    private void files() {
        Sandbox sandbox = sandbox("wasm", "python", 30);
        try {
            SandboxFiles files = sandbox.files();
            byte[] content = new byte[random.nextInt(300_000)];
            random.nextBytes(content);
            files.write("a/b/data.bin", content);
            files.move("a/b/data.bin", "a/c.bin");
            if (files.list("a", 2).isEmpty() || !Arrays.equals(files.read("a/c.bin"), content)) {
                throw new BenchException("a file is not what was written");
            }
            files.remove("a");
        } finally {
            kill(sandbox);
        }
    }

    private void context() {
        boolean isPython = random.nextBoolean();
        String language = isPython ? "python" : "javascript";
        Sandbox sandbox = sandbox(isPython ? "wasm" : "isolate", language, 30);
        try {
            CodeContext context = sandbox.contexts().open(language);
            expectExited(context.execute(isPython ? "x = 20" : "var x = 20").outcome(), 0);
            ExecutionResponse sum = context.execute("x + 1");
            expectExited(sum.outcome(), 0);
            if (sum.results().isEmpty()
                    || !"21".equals(sum.results().getFirst().data().get("text/plain"))) {
                throw new BenchException("a context forgot its variable");
            }
            expectExited(context.execute("undefined_name_here").outcome(), 1);
            context.close();
        } finally {
            kill(sandbox);
        }
    }

    private void standardInput() {
        Sandbox sandbox = sandbox("wasm", "python", 30);
        try {
            CommandRequest request = new CommandRequest(
                    null,
                    "python",
                    "import sys; print(len(sys.stdin.read()))",
                    null,
                    null,
                    null,
                    null,
                    new Content("y".repeat(50_000), null),
                    null,
                    null);
            ExecutionResponse answer = sandbox.run(request);
            expectExited(answer.outcome(), 0);
            if (!answer.stdout().equals("50000\n")) {
                throw new BenchException("standard input did not arrive whole");
            }
        } finally {
            kill(sandbox);
        }
    }

    private void timeout() {
        LimitSet limit = Runs.wall(50 + random.nextInt(300));
        boolean isPython = random.nextBoolean();
        expectWord(
                client.run(
                        isPython
                                ? Runs.of("python", "wasm", Runs.PYTHON_ENDLESS, limit)
                                : Runs.of("javascript", "isolate", "for (;;);", limit)),
                "timed_out");
    }

    private void bomb() {
        LimitSet limit = Runs.memory(48, 20_000);
        boolean isPython = random.nextBoolean();
        expectWord(
                client.run(
                        isPython
                                ? Runs.of("python", "wasm", "x = []\nwhile True: x.append(bytearray(2**20))", limit)
                                : Runs.of(
                                        "javascript",
                                        "isolate",
                                        "const a = []; for (;;) a.push(new Array(1e5).fill(1.5))",
                                        limit)),
                "out_of_memory");
    }

    private void flood() {
        boolean isPython = random.nextBoolean();
        expectWord(
                client.run(
                        isPython
                                ? Runs.of("python", "wasm", "while True: print('x' * 1000)", FLOOD)
                                : Runs.of("javascript", "isolate", "for (;;) console.log('x'.repeat(1000))", FLOOD)),
                "killed_by_policy");
    }

    private void recursion() {
        boolean isPython = random.nextBoolean();
        RunResponse answer = client.run(
                isPython ? Runs.python("def f(): f()\nf()") : Runs.javaScript("isolate", "function f() { f(); }\nf()"));
        expectExited(answer.outcome(), 1);
    }

    /// Hangs up in the middle of an answer.
    private void abort() {
        RunRequest request = random.nextBoolean()
                ? Runs.python("import time\nwhile True: print('tick'); time.sleep(0.01)")
                : Runs.python("while True: print('tick')");
        int patience = random.nextInt(20);
        try {
            client.run(request, new OutputListener() {
                private int heard;

                @Override
                public void stdout(byte[] bytes) {
                    if (++heard > patience) {
                        throw new AbortException();
                    }
                }

                @Override
                public void stderr(byte[] bytes) {}

                @Override
                public void result(RichResult result) {}
            });
        } catch (AbortException e) {
            // As meant.
        }
    }

    private void kill() throws InterruptedException {
        boolean isPython = random.nextBoolean();
        String language = isPython ? "python" : "javascript";
        Sandbox sandbox = sandbox(isPython ? "wasm" : "isolate", language, 30);
        try {
            Endless endless = Endless.start(sandbox, language, isPython ? Runs.PYTHON_ENDLESS : "for (;;);");
            Thread.sleep(random.nextInt(100));
            kill(sandbox);
            endless.awaitEnd();
        } finally {
            kill(sandbox);
        }
    }

    /// Leaves a sandbox, busy or idle, to its lease.
    private void lease() throws InterruptedException {
        Sandbox sandbox = sandbox("wasm", "python", 1 + random.nextInt((int) LEASE_SECONDS));
        if (random.nextBoolean()) {
            Endless.start(sandbox, "python", Runs.PYTHON_ENDLESS).awaitEnd();
        }
    }

    private void badRequest() {
        List<RunRequest> bad = List.of(
                Runs.of("cobol", "wasm", "1", null),
                Runs.of("python", "lead", "1", null),
                Runs.of("python", "isolate", "1", null),
                Runs.of("python", "wasm", "1", Runs.wall(-1)),
                Runs.of("python", "gvisor", "1", null),
                Runs.module(new byte[] {0, 'a', 's', 'm', 9, 9, 9, 9}));
        try {
            RunResponse answer = client.run(bad.get(random.nextInt(bad.size())));
            if (answer.outcome().exitStatus() == 0) {
                throw new BenchException("a request that makes no sense was done");
            }
        } catch (ApiException e) {
            if (e.code().equals("internal")) {
                throw new BenchException("a request that makes no sense broke something: " + e.getMessage(), e);
            }
        }
    }

    private Sandbox sandbox(String tier, String language, long leaseSeconds) {
        return client.sandboxes().create(new SandboxRequest(tier, language, leaseSeconds, null, null, null));
    }

    private static void kill(Sandbox sandbox) {
        try {
            sandbox.kill();
        } catch (ApiException e) {
            // It was gone already.
        }
    }

    private static void expect(RunResponse answer, String stdout) {
        Runs.expect(answer, stdout);
    }

    private static void expectWord(RunResponse answer, String word) {
        Runs.expectOutcome(answer, word);
    }

    private static void expectExited(OutcomeReport outcome, int status) {
        if (!outcome.word().equals("exited") || outcome.exitStatus() != status) {
            throw new BenchException("it must exit with status " + status + ", but: " + outcome.sentence());
        }
    }
}
