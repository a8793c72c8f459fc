package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.conformance.Dialect.Task;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.CodeError;
import dev.glovebox.wire.api.RunResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Attempts to get out, in one language, through the public API: each is refused, in words.
abstract class EscapeScenarios {
    final Dialect dialect;
    final Target target;
    private final Glovebox client;

    EscapeScenarios(Dialect dialect, Target target) {
        this.dialect = dialect;
        this.target = target;
        this.client = target.connect();
    }

    @AfterEach
    void close() {
        client.close();
    }

    final RunResponse run(String code) {
        return client.run(Asking.of(dialect, code).run());
    }

    final RunResponse run(Asking asking) {
        return client.run(asking.run());
    }

    /// Runs an attempt, which must end with an error that has one of these names and these words.
    final void refused(String code, List<String> names, String... words) {
        RunResponse answer = run(code);
        assertThat(answer.outcome().word()).as(code + ": " + answer).isEqualTo("exited");
        assertThat(answer.outcome().exitStatus()).as(code + ": " + answer).isEqualTo(1);
        CodeError error = Present.of(answer.error(), answer);
        assertThat(error.name()).as(code + ": " + answer).isIn(names);
        for (String word : words) {
            assertThat(error.value() + answer.stderr()).as(code).contains(word);
        }
        leaksNothing(answer);
    }

    /// Runs an attempt whose output must be this.
    final void prints(String code, String expected) {
        RunResponse answer = run(code);
        assertThat(answer.stdout()).as(code + ": " + answer).isEqualTo(expected);
        leaksNothing(answer);
    }

    private static void leaksNothing(RunResponse answer) {
        assertThat(answer.stdout() + answer.stderr())
                .doesNotContain("dev.glovebox", "com.caoccao", "java.lang", "root:x:0:0", "/build/dist");
    }

    @Test
    void aHugeArgumentListIsRefusedBeforeItGetsThere() {
        String[] many = new String[5000];
        java.util.Arrays.fill(many, "x");
        Refusal.of(() -> run(Asking.of(dialect, Task.ARGUMENTS).withArguments(many)))
                .is(400, "invalid_argument", "4096");
        Refusal.of(() -> run(Asking.of(dialect, Task.ARGUMENTS).withArguments("x".repeat(200_000))))
                .is(400, "invalid_argument", Integer.toString(128 * 1024));
        String[] most = new String[4000];
        java.util.Arrays.fill(most, "0123456789");
        assertThat(run(Asking.of(dialect, Task.ARGUMENTS).withArguments(most))
                        .stdout()
                        .lines())
                .hasSize(4000);
    }

    @Test
    void filesCannotBeHandedInOutsideTheSandbox() {
        RunResponse answer = run(Asking.of(dialect, Task.HELLO)
                .withFile("../../../../tmp/glovebox-escape", "x")
                .fetching("/tmp/glovebox-escape", "../../etc/passwd"));
        assertThat(answer.files()).containsOnlyKeys("/tmp/glovebox-escape");
        assertThat(java.nio.file.Path.of("/tmp/glovebox-escape")).doesNotExist();
    }

    @Test
    void theClockIsRightAndCoarse() {
        String now = dialect.isPython() ? "import time\nprint(int(time.time() * 1000))" : "console.log(Date.now())";
        long shown = Long.parseLong(run(now).stdout().strip());
        assertThat(Duration.between(Instant.ofEpochMilli(shown), Instant.now()).abs())
                .isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void sleepingDoesNotStopTheClock() {
        String sleep = dialect.isPython()
                ? "import time\nwhile True:\n    try: time.sleep(1e9)\n    except BaseException: pass"
                : "const forever = () => setTimeout(forever, 2147483647); forever();";
        RunResponse answer = run(Asking.of(dialect, sleep).within(Asking.wall(300)));
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("timed_out");
    }

    @Test
    void everyRunHasEntropyOfItsOwn() {
        String random = dialect.isPython()
                ? "import random, uuid, os\nprint(random.random(), uuid.uuid4(), os.urandom(8).hex())"
                : "console.log(Math.random())";
        assertThat(List.of(
                        run(random).stdout(), run(random).stdout(), run(random).stdout()))
                .doesNotHaveDuplicates()
                .allSatisfy(line -> assertThat(line).isNotBlank());
    }

    @Test
    void terminalEscapesReachTheCallerAsBytesInJson() {
        String code = dialect.isPython() ? "print('\\x1b[2J\\x07')" : "console.log('\\x1b[2J\\x07')";
        assertThat(run(code).stdout()).isEqualTo("\u001b[2J\u0007\n");
    }
}
