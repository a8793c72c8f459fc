package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.conformance.Dialect.Task;
import dev.glovebox.sdk.CodeContext;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.CodeError;
import dev.glovebox.wire.api.ContextResponse;
import dev.glovebox.wire.api.ExecuteRequest;
import dev.glovebox.wire.api.ExecutionResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Code interpreter contexts in one language.
abstract class ContextScenarios {
    private static final long LEASE_SECONDS = 120;
    private static final int CONTEXTS_MAX = 16;

    final Dialect dialect;
    private final Glovebox client;
    private final Sandbox sandbox;

    ContextScenarios(Dialect dialect, Target target) {
        this.dialect = dialect;
        this.client = target.connect();
        this.sandbox = client.sandboxes().create(Asking.sandbox(dialect, LEASE_SECONDS));
    }

    @AfterEach
    void close() {
        try {
            sandbox.kill();
        } finally {
            client.close();
        }
    }

    private CodeContext open() {
        return sandbox.contexts().open(dialect.language());
    }

    private ExecutionResponse execute(CodeContext context, Task task) {
        return context.execute(dialect.program(task));
    }

    private static String value(ExecutionResponse answer) {
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        assertThat(answer.outcome().exitStatus()).as(answer.toString()).isZero();
        assertThat(answer.results()).as(answer.toString()).hasSize(1);
        assertThat(answer.results().getFirst().main()).isTrue();
        return answer.results().getFirst().data().getOrDefault("text/plain", "");
    }

    @Test
    void keepsStateAndGivesTheLastValueAsABundle() {
        try (CodeContext context = open()) {
            assertThat(execute(context, Task.SET_X).results()).isEmpty();
            assertThat(value(execute(context, Task.X_PLUS_1))).isEqualTo("42");
            assertThat(value(execute(context, Task.X_PLUS_1))).isEqualTo("42");
        }
    }

    @Test
    void streamsOutputAndResult() {
        try (CodeContext context = open()) {
            Heard heard = new Heard();
            ExecutionResponse answer = context.execute(
                    new ExecuteRequest(dialect.program(Task.BOTH_STREAMS) + "\n40 + 2", null, null), heard);
            assertThat(answer.outcome().exitStatus()).as(answer.toString()).isZero();
            assertThat(heard.out()).isEqualTo("out\n");
            assertThat(heard.err()).isEqualTo("err\n");
            assertThat(heard.results()).hasSize(1);
            assertThat(heard.results().getFirst().data()).containsEntry("text/plain", "42");
        }
    }

    @Test
    void anErrorIsAValueAndTheContextLivesOn() {
        try (CodeContext context = open()) {
            execute(context, Task.SET_X);
            ExecutionResponse answer = execute(context, Task.RAISE);
            assertThat(answer.outcome().exitStatus()).isEqualTo(1);
            CodeError error = Present.of(answer.error(), answer);
            assertThat(error.name()).isIn("ValueError", "RangeError");
            assertThat(error.value()).contains("bad value");
            assertThat(error.traceback()).contains("inner", "bad value");
            assertThat(value(execute(context, Task.X_PLUS_1))).isEqualTo("42");
        }
    }

    @Test
    void anInterruptEndsTheExecution() {
        try (CodeContext context = open()) {
            Heard heard = new Heard();
            ExecuteRequest spin = new ExecuteRequest(dialect.program(Task.READY_AND_SPIN), null, null);
            Beside<ExecutionResponse> spinning = Beside.start(() -> context.execute(spin, heard));
            heard.awaitOut("ready");
            context.interrupt();
            assertThat(spinning.await().outcome().exitStatus()).isNotZero();
        }
    }

    @Test
    void anExecutionHasItsOwnLimit() {
        try (CodeContext context = open()) {
            ExecuteRequest spin = new ExecuteRequest(dialect.program(Task.SPIN), null, Asking.wall(300));
            ExecutionResponse answer = context.execute(spin, new Heard());
            assertThat(answer.outcome().word()).isEqualTo("timed_out");
            assertThat(answer.outcome().limitMillis()).isEqualTo(300);
        }
    }

    @Test
    void contextsShareFilesAndNothingElse() {
        try (CodeContext first = open();
                CodeContext second = open()) {
            assertThat(first.id()).isNotEqualTo(second.id());
            execute(first, Task.SET_X);
            ExecutionResponse answer = execute(second, Task.X_PLUS_1);
            assertThat(Present.of(answer.error(), answer).name()).isIn("NameError", "ReferenceError");
            sandbox.files().write("in.txt", "drawer".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(execute(second, Task.REVERSE_FILE).outcome().exitStatus())
                    .isZero();
            assertThat(sandbox.files().read("out.txt")).asString().isEqualTo("reward");
        }
    }

    @Test
    void listsWhatIsOpenAndForgetsWhatIsClosed() {
        CodeContext context = open();
        assertThat(sandbox.contexts().list()).extracting(ContextResponse::id).containsExactly(context.id());
        assertThat(sandbox.contexts().list().getFirst().language()).isEqualTo(dialect.language());
        assertThat(sandbox.contexts().list().getFirst().directory()).isEqualTo("/home/user");
        context.close();
        assertThat(sandbox.contexts().list()).isEmpty();
        Refusal.of(() -> context.execute("1")).is(404, "context_not_found", context.id());
    }

    @Test
    void openContextsHaveABound() {
        for (int i = 0; i < CONTEXTS_MAX; i++) {
            open();
        }
        Refusal.of(this::open).is(429, "quota_exceeded", Integer.toString(CONTEXTS_MAX));
        assertThat(sandbox.contexts().list()).hasSize(CONTEXTS_MAX);
    }

    @Test
    void startsInItsDirectory() {
        sandbox.files().makeDirectory("work");
        try (CodeContext context = sandbox.contexts().open(dialect.language(), "work")) {
            String where = dialect.isPython() ? "import os\nos.getcwd()" : "process.cwd()";
            assertThat(value(context.execute(where))).contains("/home/user/work");
        }
    }
}
