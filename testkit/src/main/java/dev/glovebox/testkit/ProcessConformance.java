package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench.Ran;
import dev.glovebox.testkit.BackendBench.Running;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a tier promises of processes: what goes in, what comes out, how they end.
public abstract class ProcessConformance extends BackendTopic {
    /// Variables that a sandbox may have without anybody having set them.
    private static final Set<String> CUSTOMARY = Set.of(
            "HOME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "USER", "LOGNAME", "SHELL", "PWD", "TERM", "TMPDIR", "TZ");

    protected ProcessConformance(Supplier<BackendBench> benches) {
        super(benches);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void runsAProgramToItsEnd(Language language) {
        Ran ran = run(language, GuestTask.HELLO);
        assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(0));
        assertThat(ran.stdout()).isEqualTo("hello, wörld\n");
        assertThat(ran.stderr()).isEmpty();
        assertThat(ran.result().error()).isEmpty();
        assertThat(ran.result().usage().wallTime()).isPositive().isLessThan(Duration.ofSeconds(30));
        assertThat(ran.result().usage().outputBytes()).isEqualTo(14);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void keepsTheTwoOutputsApart(Language language) {
        Ran ran = run(language, GuestTask.BOTH_STREAMS);
        assertThat(ran.stdout()).isEqualTo("out\n");
        assertThat(ran.stderr()).isEqualTo("err\n");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void tellsTheExitCode(Language language) {
        assertThat(run(language, GuestTask.EXIT_7).result().outcome()).isEqualTo(new Outcome.Exited(7));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void tellsTheErrorThatAProgramDidNotHandle(Language language) {
        Ran ran = run(language, GuestTask.RAISE);
        assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(1));
        ExecutionError error = ran.result().error().orElseThrow();
        assertThat(error.name()).isIn("ValueError", "RangeError");
        assertThat(error.value()).contains("bad value");
        assertThat(error.traceback()).contains("inner", "bad value");
        assertThat(ran.stderr()).contains("bad value");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void handsArgumentsOnAsTheyAre(Language language) {
        Execution.ProcessSpec spec = bench().spec(language, GuestTask.ARGUMENTS);
        List<String> arguments =
                List.of(spec.code().orElseThrow().fileName(), "", "two words", "'\"$HOME`\\", "--flag", "ünïcode");
        Ran ran = BackendBench.run(
                sandbox(),
                new Execution.ProcessSpec(
                        arguments, spec.code(), Map.of(), GuestPath.HOME, false, ResourceLimits.DEFAULT));
        assertThat(ran.stdout()
                        .replace(", ", ",")
                        .replace("\\u00fc", "ü")
                        .replace("\\u00ef", "ï")
                        .strip())
                .isEqualTo("[\"\",\"two words\",\"'\\\"$HOME`\\\\\",\"--flag\",\"ünïcode\"]");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void givesTheEnvironmentThatWasAskedForAndNothingOfTheHosts(Language language) {
        SandboxHandle sandbox = create(
                BackendBench.withEnvironment(bench().request(), Map.of("FROM_SANDBOX", "one", "BOTH", "sandbox")));
        Execution.ProcessSpec spec = bench().spec(language, GuestTask.ENVIRONMENT);
        Ran ran = BackendBench.run(
                sandbox,
                new Execution.ProcessSpec(
                        List.of(),
                        spec.code(),
                        Map.of("BOTH", "process", "MINE", "two = 2"),
                        GuestPath.HOME,
                        false,
                        ResourceLimits.DEFAULT));
        String json = ran.stdout().replace("\": \"", "\":\"");
        assertThat(json).contains("\"FROM_SANDBOX\":\"one\"", "\"BOTH\":\"process\"", "\"MINE\":\"two = 2\"");
        System.getenv().forEach((name, value) -> {
            if (!CUSTOMARY.contains(name)) {
                assertThat(json).as("a variable of the host").doesNotContain("\"" + name + "\":");
            }
            if (value.length() > 20) {
                assertThat(json).as("a variable's value of the host").doesNotContain(value);
            }
        });
        assertThat(run(sandbox, language, GuestTask.ENVIRONMENT).stdout().replace("\": \"", "\":\""))
                .as("the next process")
                .contains("\"BOTH\":\"sandbox\"")
                .doesNotContain("MINE");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void startsInTheDirectoryAskedFor(Language language) {
        sandbox().makeDirectory(path("/home/user/a b"));
        Execution.ProcessSpec spec = bench().spec(language, GuestTask.DIRECTORY);
        Ran ran = BackendBench.run(
                sandbox(),
                new Execution.ProcessSpec(
                        List.of(), spec.code(), Map.of(), path("/home/user/a b"), false, ResourceLimits.DEFAULT));
        assertThat(ran.stdout()).isEqualTo("/home/user/a b\n");
        assertThat(run(language, GuestTask.DIRECTORY).stdout()).isEqualTo("/home/user\n");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void withoutInputAProgramReadsAnEnd(Language language) {
        Ran ran = run(language, GuestTask.CAT);
        assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(0));
        assertThat(ran.stdout()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("languages")
    void handsInputOnWithoutHoldingItAll(Language language) {
        byte[] input = "0123456789abcde\n".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
        Running cat = BackendBench.startBeside(sandbox(), withInput(bench().spec(language, GuestTask.CAT)));
        sandbox().writeInput(cat.id(), input, false);
        sandbox().writeInput(cat.id(), new byte[0], true);
        assertThat(cat.await().outcome()).isEqualTo(new Outcome.Exited(0));
        assertThat(cat.said().stdoutBytes()).isEqualTo(input);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aProgramAnswersWhileItsInputIsOpen(Language language) {
        Running answering =
                BackendBench.startBeside(sandbox(), withInput(bench().spec(language, GuestTask.ANSWER_LINES)));
        sandbox().writeInput(answering.id(), bytes("one\n"), false);
        answering.said().awaitStdout("got one\n");
        sandbox().writeInput(answering.id(), bytes("two\n"), false);
        answering.said().awaitStdout("got two\n");
        sandbox().writeInput(answering.id(), new byte[0], true);
        assertThat(answering.await().outcome()).isEqualTo(new Outcome.Exited(0));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void handsOutputOnAsItComes(Language language) {
        Running waiting = startBeside(language, GuestTask.READY_AND_WAIT);
        waiting.said().awaitStdout("ready\n");
        assertThat(waiting.result()).isNotDone();
        sandbox().signal(waiting.id(), 9);
        waiting.await();
    }

    @ParameterizedTest
    @MethodSource("languages")
    void losesNoByteOfALargeOutput(Language language) {
        Ran ran = run(language, GuestTask.PRINT_MEBIBYTE);
        assertThat(ran.result().outcome()).isEqualTo(new Outcome.Exited(0));
        assertThat(ran.said().stdoutBytes()).hasSize(1 << 20).containsOnly('x');
        assertThat(ran.result().usage().outputBytes()).isEqualTo(1 << 20);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void changesNoByteOfBinaryOutput(Language language) {
        byte[] all = new byte[256];
        for (int i = 0; i < 256; i++) {
            all[i] = (byte) i;
        }
        assertThat(run(language, GuestTask.PRINT_ALL_BYTES).said().stdoutBytes())
                .isEqualTo(all);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void processesRunSideBySide(Language language) {
        Running first = startBeside(language, GuestTask.READY_AND_WAIT);
        first.said().awaitStdout("ready");
        assertThat(run(language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
        assertThat(first.result()).isNotDone();
        sandbox().signal(first.id(), 9);
        assertThat(first.await().outcome()).isInstanceOf(Outcome.Killed.class);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aProcessKnowsNothingOfTheOneBefore(Language language) {
        assertThat(run(language, GuestTask.POISON).stdout()).isEqualTo("done\n");
        for (int i = 0; i < 3; i++) {
            Ran ran = run(language, GuestTask.CHECK_POISON);
            assertThat(ran.stdout()).as(ran.toString()).isEqualTo("clean\n");
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void signalKillEndsAProcess(Language language) {
        for (GuestTask task : List.of(GuestTask.READY_AND_WAIT, GuestTask.SPIN_STUBBORNLY)) {
            Running running = startBeside(language, task);
            running.said().awaitStdout("ready");
            sandbox().signal(running.id(), 9);
            assertThat(running.await().outcome()).isInstanceOf(Outcome.Killed.class);
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void signalInterruptEndsAProcessThatDoesNotHandleIt(Language language) {
        for (GuestTask task : List.of(GuestTask.READY_AND_WAIT, GuestTask.READY_AND_SPIN, GuestTask.SPIN_STUBBORNLY)) {
            Running running = startBeside(language, task);
            running.said().awaitStdout("ready");
            sandbox().signal(running.id(), 2);
            assertThat(running.await().outcome()).as(task.name()).isNotEqualTo(new Outcome.Exited(0));
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void interruptingTheCallerEndsTheProcess(Language language) throws InterruptedException {
        Running running = startBeside(language, GuestTask.READY_AND_WAIT);
        running.said().awaitStdout("ready");
        running.thread().interrupt();
        assertThat(running.await().outcome()).isInstanceOf(Outcome.Killed.class);
        running.thread().join();
        assertThat(run(language, GuestTask.HELLO).stdout())
                .as("the sandbox lives on")
                .isEqualTo("hello, wörld\n");
    }

    @Test
    void refusesInputAndSignalsForAProcessThatIsNotThere() {
        ProcessId nobody = new ProcessId(4711);
        refusal(() -> sandbox().writeInput(nobody, bytes("x"), true)).is(ErrorCode.PROCESS_NOT_FOUND, "4711");
        refusal(() -> sandbox().signal(nobody, 9)).is(ErrorCode.PROCESS_NOT_FOUND, "4711");
    }

    @Test
    void refusesLanguagesThatTheTierDoesNotRun() {
        for (Language language : otherLanguages()) {
            refusal(() -> run(language, GuestTask.HELLO)).is(ErrorCode.UNSUPPORTED, language.word(), "tier");
        }
    }

    @Test
    void runsAnyProgramOrRefusesInWords() {
        Execution.ProcessSpec shell = new Execution.ProcessSpec(
                List.of("sh", "-c", "echo $((6 * 7)) | cat"),
                Optional.empty(),
                Map.of(),
                GuestPath.HOME,
                false,
                ResourceLimits.DEFAULT);
        if (bench().can(Capability.SHELL)) {
            assertThat(BackendBench.run(sandbox(), shell).stdout()).isEqualTo("42\n");
        } else {
            refusal(() -> BackendBench.run(sandbox(), shell)).is(ErrorCode.UNSUPPORTED, "tier");
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void hasNativePackagesOrSaysWhichTierHasThem(Language language) {
        Ran ran = run(language, GuestTask.IMPORT_NATIVE);
        if (bench().can(Capability.NATIVE_PACKAGES) && language != Language.PYTHON) {
            // The capability is about Python; of others a template has what its recipe names.
            assertThat(ran.result().outcome()).isInstanceOf(Outcome.Exited.class);
        } else if (bench().can(Capability.NATIVE_PACKAGES)) {
            assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(0));
        } else {
            assertThat(ran.result().outcome()).isEqualTo(new Outcome.Exited(1));
            assertThat(ran.stderr()).contains("gvisor", "microvm");
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void theNetworkIsClosed(Language language) {
        Ran ran = run(language, GuestTask.CONNECT);
        assertThat(ran.result().outcome()).as(ran.toString()).isNotEqualTo(new Outcome.Exited(0));
        assertThat(ran.stdout()).doesNotContain("connected");
        assertThat(ran.stderr()).isNotBlank();
    }
}
