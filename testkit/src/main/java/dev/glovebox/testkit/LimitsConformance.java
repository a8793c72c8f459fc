package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.testkit.BackendBench.Ran;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a tier promises of limits: each bites, says its bound, and harms nobody but who ran into it.
public abstract class LimitsConformance extends BackendTopic {
    private static final Duration SHORT = Duration.ofMillis(400);
    /// Ends may come late on a machine with other work; they must come.
    private static final Duration LATE = Duration.ofSeconds(5);

    private static final long MIB = 1L << 20;

    protected LimitsConformance(Supplier<BackendBench> benches) {
        super(benches);
    }

    private Ran runWith(Language language, GuestTask task, ResourceLimits limits) {
        return BackendBench.run(sandbox(), withLimits(bench().spec(language, task), limits));
    }

    private void livesOn(Language language) {
        assertThat(run(language, GuestTask.HELLO).stdout())
                .as("the sandbox lives on")
                .isEqualTo("hello, wörld\n");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void wallTimeEndsOneWhoWaits(Language language) {
        Ran ran = runWith(language, GuestTask.READY_AND_WAIT, wall(SHORT));
        assertThat(ran.result().outcome()).isEqualTo(new Outcome.TimedOut(SHORT, Outcome.Clock.WALL));
        assertThat(ran.result().usage().wallTime()).isBetween(SHORT, SHORT.plus(LATE));
        assertThat(ran.stdout()).isEqualTo("ready\n");
        livesOn(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void wallTimeEndsOneWhoComputes(Language language) {
        for (GuestTask task : List.of(GuestTask.SPIN, GuestTask.SPIN_STUBBORNLY)) {
            Ran ran = runWith(language, task, wall(SHORT));
            assertThat(ran.result().outcome())
                    .as(task.name())
                    .isEqualTo(new Outcome.TimedOut(SHORT, Outcome.Clock.WALL));
            assertThat(ran.result().usage().wallTime()).isBetween(SHORT, SHORT.plus(LATE));
        }
        livesOn(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void processorTimeEndsOneWhoComputes(Language language) {
        Ran ran = runWith(language, GuestTask.SPIN, cpu(SHORT));
        assertThat(ran.result().outcome()).isEqualTo(new Outcome.TimedOut(SHORT, Outcome.Clock.CPU));
        assertThat(ran.result().usage().cpuTime()).isBetween(SHORT, SHORT.plus(LATE));
        livesOn(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void waitingCostsNoProcessorTime(Language language) {
        ResourceLimits d = ResourceLimits.DEFAULT;
        ResourceLimits limits = new ResourceLimits(
                Duration.ofMillis(1_500),
                Duration.ofMillis(1_000),
                d.memoryBytes(),
                d.outputBytes(),
                d.diskBytes(),
                d.fileCount());
        Ran ran = runWith(language, GuestTask.READY_AND_WAIT, limits);
        assertThat(ran.result().outcome())
                .isEqualTo(new Outcome.TimedOut(Duration.ofMillis(1_500), Outcome.Clock.WALL));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void memoryHasABound(Language language) {
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), memory(96 * MIB)));
        Execution.ProcessSpec hog = withLimits(bench().spec(language, GuestTask.HOG), memory(96 * MIB));
        Ran ran = BackendBench.run(sandbox, hog);
        // An interpreter may notice first and raise an error of its language: that is the same refusal.
        if (ran.result().outcome() instanceof Outcome.OutOfMemory(long limit)) {
            assertThat(limit).isEqualTo(96 * MIB);
        } else {
            assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(1));
            assertThat(ran.result().error().orElseThrow().name()).isIn("MemoryError", "RangeError");
        }
        // gVisor's kernel is asked every 10 ms how much is held, and counts a program's own text.
        long overshoot = (bench().tier() == Tier.GVISOR ? 384 : 64) * MIB;
        assertThat(ran.result().usage().memoryPeakBytes()).isLessThan(96 * MIB + overshoot);
        assertThat(run(sandbox, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void endlessRecursionHarmsNobodyElse(Language language) {
        Ran ran = run(language, GuestTask.RECURSE);
        assertThat(ran.result().outcome()).as(ran.toString()).isNotEqualTo(new Outcome.Exited(0));
        assertThat(ran.result().outcome()).isNotInstanceOf(Outcome.BackendLost.class);
        livesOn(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void outputHasABound(Language language) {
        long bound = 100_000;
        Ran ran = runWith(language, GuestTask.FLOOD, output(bound));
        if (bench().can(Capability.SHELL)
                && language != Language.PYTHON
                && ran.result().outcome() instanceof Outcome.OutOfMemory) {
            // Node.js keeps what a slow reader has not taken, and may reach the other bound first.
            livesOn(language);
            return;
        }
        assertThat(ran.result().outcome()).as(ran.toString()).isInstanceOf(Outcome.KilledByPolicy.class);
        Outcome.KilledByPolicy killed = (Outcome.KilledByPolicy) ran.result().outcome();
        assertThat(killed.rule()).contains("output");
        assertThat(killed.reason()).contains("100000");
        assertThat(ran.said().stdoutBytes()).hasSizeLessThanOrEqualTo((int) bound);
        livesOn(language);
    }

    @ParameterizedTest
    @MethodSource("languages")
    void noOutputAtAllMayBeTheBound(Language language) {
        assertThat(runWith(language, GuestTask.EXIT_7, output(0)).result().outcome())
                .isEqualTo(new Outcome.Exited(7));
        Ran ran = runWith(language, GuestTask.HELLO, output(0));
        assertThat(ran.result().outcome()).as(ran.toString()).isInstanceOf(Outcome.KilledByPolicy.class);
        assertThat(ran.stdout()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("languages")
    void theDiskHasABoundForTheGuest(Language language) {
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), disk(2 * MIB, 1_000)));
        Ran ran = run(sandbox, language, GuestTask.FILL_DISK);
        assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(0));
        assertThat(ran.stdout()).isEqualTo("full\n");
        assertThat(run(sandbox, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
    }

    @Test
    void theDiskHasABoundForTheCaller() {
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), disk(MIB, 1_000)));
        sandbox.write(path("/home/user/small"), ByteSource.of(bytes("stays")));
        refusal(() -> sandbox.write(path("/home/user/large"), ByteSource.of(new byte[(int) (2 * MIB)])))
                .is(ErrorCode.NO_SPACE);
        assertThat(BackendBench.readText(sandbox, "/home/user/small")).isEqualTo("stays");
        refusal(() -> sandbox.stat(path("/home/user/large"))).is(ErrorCode.FILE_NOT_FOUND);
        sandbox.write(path("/home/user/fits"), ByteSource.of(new byte[(int) (MIB / 2)]));
    }

    @Test
    void aLargeDiskIsNoMemory() {
        long size = 3 * 512 * MIB;
        if (!bench().can(Capability.SHELL)) {
            refusal(() -> create(BackendBench.withLimits(bench().request(), disk(size, 1_000))))
                    .is(ErrorCode.INVALID_ARGUMENT);
            return;
        }
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), disk(size, 20_000)));
        assertThat(sandbox.usage().diskBytesMax()).isBetween(size, size + size / 50);
        // More than its memory, and then more than there is.
        Ran written = runScript(
                sandbox,
                "head -c 600M /dev/zero > a && stat -c %s a && rm a && head -c 2G /dev/zero > b; echo $?; stat -c %s b");
        List<String> lines = written.stdout().lines().toList();
        assertThat(lines.subList(0, 2)).as(written.toString()).containsExactly(Long.toString(600 * MIB), "1");
        assertThat(Long.parseLong(lines.get(2))).isBetween(size - size / 50, size + size / 50);
        assertThat(run(sandbox, Language.PYTHON, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
    }

    private static Ran runScript(SandboxHandle sandbox, String script) {
        return BackendBench.run(
                sandbox,
                new Execution.ProcessSpec(
                        List.of("sh", "-c", script),
                        Optional.empty(),
                        Map.of(),
                        GuestPath.HOME,
                        false,
                        ResourceLimits.DEFAULT));
    }

    @Test
    void theNumberOfFilesHasABound() {
        SandboxHandle sandbox = create(BackendBench.withLimits(bench().request(), disk(64 * MIB, 50)));
        refusal(() -> {
                    for (int i = 0; i < 60; i++) {
                        sandbox.write(path("/home/user/f" + i), ByteSource.of(new byte[0]));
                    }
                })
                .is(ErrorCode.NO_SPACE);
    }

    @Test
    void aPathHasABoundInEveryPart() {
        String name = "n".repeat(Limits.FILE_NAME_BYTES_MAX);
        sandbox().write(path("/home/user/" + name), ByteSource.of(bytes("x")));
        assertThat(BackendBench.readText(sandbox(), "/home/user/" + name)).isEqualTo("x");
        refusal(() -> sandbox().write(path("/home/user/" + name + "n"), ByteSource.of(bytes("x"))))
                .is(ErrorCode.INVALID_ARGUMENT);
    }
}
