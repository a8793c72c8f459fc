package dev.glovebox.bench;

import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// How soon a Linux sandbox is there, and answers.
final class LinuxStarts {
    private static final int POOLED_TIMES = 120;
    private static final int FRESH_TIMES = 60;
    private static final int COMMAND_TIMES = 600;
    /// A server that has been up for a while: its JVM has compiled what it needs by then.
    private static final int WARM_UP = 30;
    private static final int COMMANDS_WARM_UP = 400;
    private static final String PANDAS = "import pandas; print(pandas.__version__)";
    private static final String SUM = "print(1+1)";
    private static final CommandRequest ECHO = CommandRequest.ofArguments(List.of("/bin/echo", "2"));
    private static final CommandRequest TRUE = CommandRequest.ofArguments(List.of("true"));

    private final LinuxCase one;

    LinuxStarts(LinuxCase one) {
        this.one = one;
    }

    /// Runs that find a sandbox ready.
    void pooled() throws InterruptedException {
        pooled("import pandas", PANDAS, one.target().pooled(), one.target().pooledTail());
        pooled("print(1+1)", SUM, null, null);
    }

    private void pooled(String what, String code, @Nullable Target median, @Nullable Target tail)
            throws InterruptedException {
        int times = one.lab().times(POOLED_TIMES);
        RunRequest request = Runs.of("python", one.word(), code, null);
        Samples bare;
        String output;
        try (BareShell python = one.bareShell()) {
            python.becomePython();
            output = python.python(code);
            bare = Stopwatch.repeat(times, () -> python.python(code));
        }
        for (int i = 0; i < WARM_UP; i++) {
            Guests.awaitQuiet(one.product());
            one.product().client().run(request);
        }
        Stopwatch stopwatch = new Stopwatch();
        Stopwatch guest = new Stopwatch();
        int pooled = 0;
        for (int i = 0; i < times; i++) {
            Guests.awaitQuiet(one.product());
            long begun = System.nanoTime();
            RunResponse answer = one.product().client().run(request);
            stopwatch.add(System.nanoTime() - begun);
            Runs.expect(answer, output);
            guest.add(answer.usage().wallMicros() * 1000);
            pooled += answer.usage().pooled() ? 1 : 0;
        }
        Samples samples = stopwatch.samples();
        String detail = pooled + " of " + times + " said pooled; bare: fork of a ready python";
        String name = one.word() + " " + what + ", pooled";
        one.sheet().add(name, Figure.millis(samples.median(), detail), Figure.median(bare), median);
        Figure last = Figure.millis(samples.percentile(99), "max " + Figure.number(samples.max()));
        one.sheet().add(name + ", p99", last, Figure.millis(bare.percentile(99), ""), tail);
        one.sheet().note("of which guest code " + Figure.number(guest.samples().median()) + " ms");
    }

    /// Runs that find none.
    void fresh() throws InterruptedException {
        int times = one.lab().times(FRESH_TIMES);
        // In turn with the bare one, so that both have the same machine.
        Stopwatch run = new Stopwatch();
        Stopwatch bareRun = new Stopwatch();
        Stopwatch create = new Stopwatch();
        Stopwatch echo = new Stopwatch();
        Stopwatch bareEcho = new Stopwatch();
        try (BareShell shell = new BareShell(one.here())) {
            Supplier<String> bareSum = bare(shell, "sum", List.of("/usr/bin/python3", "-c", SUM));
            Supplier<String> bareWord = bare(shell, "echo", List.of("/bin/echo", "2"));
            expect(bareSum.get());
            expect(bareWord.get());
            for (int i = 0; i < times; i++) {
                Guests.awaitQuiet(one.product());
                RunRequest request = Runs.of("python", one.word(), SUM, LinuxCase.freshLimits());
                run.time(() -> Runs.expect(one.product().client().run(request), Runs.SUM));
                bareRun.time(() -> expect(bareSum.get()));
                Guests.awaitQuiet(one.product());
                echo.add(firstCommand(LinuxCase.freshLimits(), create));
                bareEcho.time(() -> expect(bareWord.get()));
            }
        }
        String bare = one.word().equals("gvisor") ? "runsc run" : "unshare and chroot, no bounds";
        Target target = one.target().fresh();
        add("print(1+1), fresh", run.samples(), bareRun.samples(), target, "bare: " + bare + " python3");
        add("create, fresh", create.samples(), bareEcho.samples(), target, "bare: " + bare + " echo");
        // Two requests and a second program: nothing bare is like it.
        add("create and echo, fresh", echo.samples(), bareEcho.samples(), null, "bare: " + bare + " echo");
    }

    /// From nothing to the whole answer of a command in a new sandbox; its end is not in it.
    ///
    /// @param create is given the time until the sandbox is ready
    private long firstCommand(LimitSet limits, Stopwatch create) {
        long begun = System.nanoTime();
        Sandbox sandbox = one.create(limits);
        create.add(System.nanoTime() - begun);
        try {
            expect(LinuxCase.expectEnd(sandbox.run(ECHO)).stdout());
            return System.nanoTime() - begun;
        } finally {
            sandbox.kill();
        }
    }

    private Supplier<String> bare(BareShell shell, String name, List<String> arguments) {
        if (one.word().equals("gvisor")) {
            String platform = Guests.gvisorPlatform(one.product());
            Path bundle = shell.bundle(name, arguments);
            return () -> shell.run(shell.gvisor(platform, bundle) + " </dev/null");
        }
        shell.mountKernel();
        String line = BareShell.namespaces() + " " + arguments.get(0)
                + arguments.stream().skip(1).map(word -> " '" + word + "'").reduce("", String::concat);
        return () -> shell.run(line + " </dev/null");
    }

    private static void expect(String output) {
        if (!output.equals(Runs.SUM)) {
            throw new BenchException("a program printed something else than it must");
        }
    }

    /// A process in a sandbox that lives.
    void command() {
        int times = one.lab().times(COMMAND_TIMES);
        Samples bare;
        try (BareShell shell = one.bareShell()) {
            Stopwatch.repeat(times / 4, () -> shell.run("/bin/true"));
            bare = Stopwatch.repeat(times, () -> shell.run("/bin/true"));
        }
        Sandbox sandbox = one.create(null);
        try {
            Stopwatch.repeat(COMMANDS_WARM_UP, () -> LinuxCase.expectEnd(sandbox.run(TRUE)));
            Samples samples = Stopwatch.repeat(times, () -> LinuxCase.expectEnd(sandbox.run(TRUE)));
            add("command true", samples, bare, one.target().command(), "bare: by a shell inside");
        } finally {
            sandbox.kill();
        }
    }

    private void add(String what, Samples samples, Samples bare, @Nullable Target target, String detail) {
        one.sheet()
                .add(
                        one.word() + " " + what,
                        Figure.millis(samples.median(), samples.tail() + "; " + detail),
                        Figure.median(bare),
                        target);
    }
}
