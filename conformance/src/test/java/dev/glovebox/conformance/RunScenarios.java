package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.conformance.Dialect.Task;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.CodeError;
import dev.glovebox.wire.api.OutcomeReport;
import dev.glovebox.wire.api.RunResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// One-shot runs in one language: what goes in, what comes out, how they end.
abstract class RunScenarios {
    /// Ends may come late on a machine with other work; they must come.
    private static final long LATE_MICROS = 5_000_000;

    private static final long MICROS_PER_MILLI = 1000;

    final Dialect dialect;
    private final Target target;
    private final Glovebox client;

    RunScenarios(Dialect dialect, Target target) {
        this.dialect = dialect;
        this.target = target;
        this.client = target.connect();
    }

    @AfterEach
    void close() {
        client.close();
    }

    final RunResponse run(Task task) {
        return run(Asking.of(dialect, task));
    }

    final RunResponse run(Asking asking) {
        return client.run(asking.run());
    }

    private static void exited(RunResponse answer, int status) {
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        assertThat(answer.outcome().exitStatus()).as(answer.toString()).isEqualTo(status);
    }

    @Test
    void runsAProgramAndTellsEverythingOfIt() {
        RunResponse answer = run(Task.HELLO);
        exited(answer, 0);
        assertThat(answer.tier()).isEqualTo(dialect.tier());
        assertThat(answer.tierReason()).isEqualTo("asked for by name");
        assertThat(answer.stdout()).isEqualTo("hello, wörld\n");
        assertThat(answer.stderr()).isEmpty();
        assertThat(answer.error()).isNull();
        assertThat(answer.outcome().sentence()).isEqualTo("exited with status 0");
        assertThat(answer.usage().wallMicros()).isPositive();
        assertThat(answer.usage().outputBytes()).isEqualTo(14);
        assertThat(answer.auditId()).isPositive();
    }

    @Test
    void keepsTheTwoOutputsApart() {
        RunResponse answer = run(Task.BOTH_STREAMS);
        assertThat(answer.stdout()).isEqualTo("out\n");
        assertThat(answer.stderr()).isEqualTo("err\n");
    }

    @Test
    void tellsTheExitStatus() {
        exited(run(Task.EXIT_7), 7);
    }

    @Test
    void tellsTheErrorThatAProgramDidNotHandle() {
        RunResponse answer = run(Task.RAISE);
        exited(answer, 1);
        CodeError error = Present.of(answer.error(), answer);
        assertThat(error.name()).isIn("ValueError", "RangeError");
        assertThat(error.value()).contains("bad value");
        assertThat(error.traceback()).contains("inner", "bad value");
        assertThat(answer.stderr()).contains("bad value");
    }

    @Test
    void handsArgumentsOnAsTheyAre() {
        RunResponse answer =
                run(Asking.of(dialect, Task.ARGUMENTS).withArguments("two words", "'\"$HOME`\\", "ünïcode"));
        assertThat(answer.stdout()).isEqualTo("two words\n'\"$HOME`\\\nünïcode\n");
    }

    @Test
    void handsTheEnvironmentOnAndNothingOfTheServers() {
        RunResponse mine = run(Asking.of(dialect, Task.ENVIRONMENT).withEnvironment(Map.of("MINE", "two = 2")));
        assertThat(mine.stdout()).isEqualTo("two = 2\n");
        List<String> names =
                run(Asking.of(dialect, Task.ENVIRONMENT_NAMES)).stdout().lines().toList();
        assertThat(names).doesNotContain("GLOVEBOX_HOME", "GLOVEBOX_DIST", "JAVA_HOME", "MAVEN_CMD_LINE_ARGS");
    }

    @Test
    void handsStandardInputOn() {
        String input = "line\n".repeat(20_000) + "ünïcode";
        assertThat(run(Asking.of(dialect, Task.CAT).withInput(input)).stdout()).isEqualTo(input);
        assertThat(run(Task.CAT).stdout()).isEmpty();
    }

    @Test
    void takesFilesInAndGivesFilesBack() {
        RunResponse answer = run(Asking.of(dialect, Task.REVERSE_FILE)
                .withFile("in.txt", "drawer")
                .fetching("out.txt", "/home/user/in.txt", "never-made.txt"));
        exited(answer, 0);
        assertThat(answer.files()).hasSize(2);
        assertThat(fetched(answer, "/home/user/out.txt")).isEqualTo("reward");
        assertThat(fetched(answer, "/home/user/in.txt")).isEqualTo("drawer");
    }

    private static @Nullable String fetched(RunResponse answer, String path) {
        return Present.of(answer.files().get(path), answer).text();
    }

    @Test
    void changesNoByteOfBinaryOutput() {
        RunResponse answer = run(Task.ALL_BYTES);
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        String base64 = Present.of(answer.stdoutBase64(), answer);
        assertThat(Base64.getDecoder().decode(base64)).isEqualTo(all);
        assertThat(answer.stdout()).contains("ABC", "\uFFFD");
    }

    @Test
    void capturesTheValueOfTheLastExpression() {
        RunResponse answer = run(Asking.of(dialect, "40 + 2").capturing());
        exited(answer, 0);
        assertThat(answer.results()).hasSize(1);
        assertThat(answer.results().getFirst().main()).isTrue();
        assertThat(answer.results().getFirst().data()).containsEntry("text/plain", "42");
    }

    @Test
    void streamsOutputAsItComes() {
        Heard heard = new Heard();
        RunResponse answer = client.run(Asking.of(dialect, Task.READY_STEADY).run(), heard);
        long end = System.nanoTime();
        exited(answer, 0);
        assertThat(heard.out()).isEqualTo("ready\nsteady\n");
        assertThat(answer.stdout()).as("what was streamed").isEmpty();
        assertThat(end - heard.firstStdoutNanos())
                .as("the first output came long before the end")
                .isGreaterThan(300_000_000);
    }

    @Test
    void streamsServerSentEvents() throws IOException {
        String body = "{\"language\": \"" + dialect.language() + "\", \"tier\": \"" + dialect.tier()
                + "\", \"code\": \"console.error('err'); console.log('out')\"}";
        if (dialect.isPython()) {
            body = body.replace(
                    "console.error('err'); console.log('out')",
                    "import sys; print('err', file=sys.stderr, flush=True); print('out')");
        }
        try (Raw raw = new Raw(target)) {
            HttpResponse<InputStream> response = raw.stream("/v1/run", body);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
            assertThat(response.headers().firstValue("Cache-Control").orElse(""))
                    .contains("no-store");
            String events = new String(response.body().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(events)
                    .containsSubsequence("event: stderr\ndata: {", "event: stdout\ndata: {", "event: done\ndata: {");
            assertThat(events).endsWith("\n\n").contains("\"auditId\":");
        }
    }

    @Test
    void anEndlessLoopEndsAtItsWallLimit() {
        RunResponse answer = run(Asking.of(dialect, Task.SPIN).within(Asking.wall(300)));
        timedOut(answer.outcome(), 300, "wall");
        assertThat(answer.usage().wallMicros()).isBetween(300 * MICROS_PER_MILLI, 300 * MICROS_PER_MILLI + LATE_MICROS);
    }

    @Test
    void aLongWaitEndsAtItsWallLimit() {
        RunResponse answer = run(Asking.of(dialect, Task.READY_AND_WAIT).within(Asking.wall(300)));
        timedOut(answer.outcome(), 300, "wall");
        assertThat(answer.stdout()).isEqualTo("ready\n");
    }

    @Test
    void anEndlessLoopEndsAtItsProcessorLimit() {
        timedOut(run(Asking.of(dialect, Task.SPIN).within(Asking.cpu(300))).outcome(), 300, "cpu");
    }

    private static void timedOut(OutcomeReport outcome, long limit, String clock) {
        assertThat(outcome.word()).as(outcome.toString()).isEqualTo("timed_out");
        assertThat(outcome.exitStatus()).isEqualTo(124);
        assertThat(outcome.limitMillis()).isEqualTo(limit);
        assertThat(outcome.clock()).isEqualTo(clock);
        assertThat(outcome.sentence()).contains(limit + " ms", clock.equals("cpu") ? "processor time" : "wall time");
    }

    @Test
    void aMemoryBombEndsAtItsLimit() {
        long limit = 64L << 20;
        RunResponse answer = run(Asking.of(dialect, Task.HOG).within(Asking.memory(64)));
        if (answer.outcome().word().equals("exited")) {
            // The interpreter noticed first and raised its language's own error: the same refusal.
            exited(answer, 1);
            assertThat(Present.of(answer.error(), answer).name()).isIn("MemoryError", "RangeError", "InternalError");
        } else {
            assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("out_of_memory");
            assertThat(answer.outcome().exitStatus()).isEqualTo(137);
            assertThat(answer.outcome().limitBytes()).isEqualTo(limit);
            assertThat(answer.outcome().sentence()).contains(Long.toString(limit));
        }
        assertThat(answer.usage().memoryPeakBytes()).isLessThan(2 * limit);
        exited(run(Task.HELLO), 0);
    }

    @Test
    void aFloodEndsAtItsLimit() {
        RunResponse answer = run(Asking.of(dialect, Task.FLOOD).within(Asking.output(100_000)));
        assertThat(answer.outcome().word()).as(answer.outcome().toString()).isEqualTo("killed_by_policy");
        assertThat(answer.outcome().exitStatus()).isEqualTo(152);
        assertThat(answer.outcome().rule()).contains("output");
        assertThat(answer.outcome().sentence()).contains("100000");
        assertThat(answer.stdout().length()).isBetween(50_000, 100_000);
    }

    @Test
    void endlessRecursionHarmsNobodyElse() {
        RunResponse answer = run(Task.RECURSE);
        assertThat(answer.outcome().word()).as(answer.toString()).isNotEqualTo("backend_lost");
        assertThat(answer.outcome().exitStatus()).as(answer.toString()).isNotZero();
        exited(run(Task.HELLO), 0);
    }

    @Test
    void theDiskHasABound() {
        RunResponse answer = run(Asking.of(dialect, Task.FILL_DISK).within(Asking.disk(2L << 20, 1000)));
        exited(answer, 0);
        assertThat(answer.stdout()).isEqualTo("full\n");
    }

    @Test
    void aRunKnowsNothingOfTheOneBefore() {
        for (int i = 0; i < 4; i++) {
            assertThat(run(Task.POISON).stdout()).isEqualTo("done\n");
            assertThat(run(Task.CHECK_POISON).stdout()).isEqualTo("clean\n");
        }
    }
}
