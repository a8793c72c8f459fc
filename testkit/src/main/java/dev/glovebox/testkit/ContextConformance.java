package dev.glovebox.testkit;

import static dev.glovebox.testkit.Refusals.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.testkit.BackendBench.Ran;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a tier promises of code interpreter contexts.
public abstract class ContextConformance extends BackendTopic {
    private static final ContextId A = new ContextId("a");
    private static final ContextId B = new ContextId("b");

    protected ContextConformance(Supplier<BackendBench> benches) {
        super(benches);
    }

    private void open(ContextId context, Language language) {
        sandbox().openContext(context, language, GuestPath.HOME);
    }

    private Ran execute(ContextId context, Language language, GuestTask task) {
        return execute(context, language, task, ResourceLimits.DEFAULT);
    }

    private Ran execute(ContextId context, Language language, GuestTask task, ResourceLimits limits) {
        String code = bench().programs().apply(language).code(task);
        Recording recording = new Recording();
        return new Ran(sandbox().execute(context, code, Map.of(), limits, recording), recording);
    }

    private static String value(Ran ran) {
        assertThat(ran.result().outcome()).as(ran.toString()).isEqualTo(new Outcome.Exited(0));
        assertThat(ran.said().results()).as(ran.toString()).hasSize(1);
        MimeBundle bundle = ran.said().results().getFirst();
        assertThat(bundle.main()).isTrue();
        return String.valueOf(bundle.data().get("text/plain"));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void keepsStateAndTellsTheValueOfTheLastExpression(Language language) {
        open(A, language);
        assertThat(execute(A, language, GuestTask.SET_X).said().results()).isEmpty();
        assertThat(value(execute(A, language, GuestTask.X_PLUS_1))).isEqualTo("42");
        assertThat(execute(A, language, GuestTask.NO_VALUE).said().results()).isEmpty();
        assertThat(value(execute(A, language, GuestTask.X_PLUS_1))).isEqualTo("42");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void handsOutputOnWhereItBelongs(Language language) {
        open(A, language);
        Ran ran = execute(A, language, GuestTask.BOTH_STREAMS);
        assertThat(ran.stdout()).isEqualTo("out\n");
        assertThat(ran.stderr()).isEqualTo("err\n");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void contextsShareFilesAndNothingElse(Language language) {
        open(A, language);
        open(B, language);
        execute(A, language, GuestTask.SET_X);
        Ran other = execute(B, language, GuestTask.X_PLUS_1);
        assertThat(other.result().outcome()).isEqualTo(new Outcome.Exited(1));
        assertThat(other.result().error().orElseThrow().name()).isIn("NameError", "ReferenceError");
        execute(A, language, GuestTask.WRITE_FILE);
        assertThat(BackendBench.readText(sandbox(), "/home/user/out.txt")).isEqualTo("from inside");
        execute(A, language, GuestTask.POISON);
        assertThat(execute(B, language, GuestTask.CHECK_POISON).stdout()).isEqualTo("clean\n");
        sandbox().write(path("/home/user/in.txt"), ByteSource.of(bytes("shared")));
        assertThat(execute(B, language, GuestTask.READ_FILE).stdout()).isEqualTo("shared");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void anErrorIsAValueAndTheContextLivesOn(Language language) {
        open(A, language);
        execute(A, language, GuestTask.SET_X);
        Ran ran = execute(A, language, GuestTask.RAISE);
        assertThat(ran.result().outcome()).isEqualTo(new Outcome.Exited(1));
        assertThat(ran.result().error().orElseThrow().value()).contains("bad value");
        assertThat(value(execute(A, language, GuestTask.X_PLUS_1))).isEqualTo("42");
    }

    @ParameterizedTest
    @MethodSource("languages")
    void anInterruptEndsTheExecution(Language language) {
        open(A, language);
        Recording recording = new Recording();
        String code = bench().programs().apply(language).code(GuestTask.READY_AND_SPIN);
        CompletableFuture<Execution.Result> spinning =
                BackendBench.beside(() -> sandbox().execute(A, code, Map.of(), ResourceLimits.DEFAULT, recording));
        recording.awaitStdout("ready");
        sandbox().interrupt(A);
        assertThat(BackendBench.await(spinning).outcome()).isNotEqualTo(new Outcome.Exited(0));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void anExecutionHasItsOwnLimit(Language language) {
        open(A, language);
        Ran ran = execute(A, language, GuestTask.SPIN, wall(Duration.ofMillis(400)));
        assertThat(ran.result().outcome()).isEqualTo(new Outcome.TimedOut(Duration.ofMillis(400), Outcome.Clock.WALL));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void aContextThatWasEndedSaysSo(Language language) {
        open(A, language);
        execute(A, language, GuestTask.SPIN_STUBBORNLY, wall(Duration.ofMillis(400)));
        // In some languages nobody can be so stubborn: there the context heeds the interrupt, and lives.
        try {
            assertThat(execute(A, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
        } catch (GloveboxException refusal) {
            assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(ErrorCode.CONTEXT_NOT_FOUND);
            open(A, language);
            assertThat(execute(A, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
        }
    }

    @ParameterizedTest
    @MethodSource("languages")
    void executionsOfOneContextTakeTurns(Language language) {
        open(A, language);
        execute(A, language, GuestTask.SET_X);
        Together.run(8, _ -> value(execute(A, language, GuestTask.X_PLUS_1)))
                .forEach(value -> assertThat(value).isEqualTo("42"));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void contextsRunSideBySide(Language language) {
        open(A, language);
        open(B, language);
        Recording recording = new Recording();
        String code = bench().programs().apply(language).code(GuestTask.READY_AND_SPIN);
        CompletableFuture<Execution.Result> waiting = BackendBench.beside(
                () -> sandbox().execute(A, code, Map.of(), wall(Duration.ofSeconds(20)), recording));
        recording.awaitStdout("ready");
        assertThat(execute(B, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
        assertThat(waiting).isNotDone();
        sandbox().closeContext(A);
        assertThat(BackendBench.await(waiting).outcome()).isNotEqualTo(new Outcome.Exited(0));
    }

    @ParameterizedTest
    @MethodSource("languages")
    void startsInItsDirectory(Language language) {
        sandbox().makeDirectory(path("/home/user/work"));
        sandbox().openContext(A, language, path("/home/user/work"));
        assertThat(execute(A, language, GuestTask.DIRECTORY).stdout()).isEqualTo("/home/user/work\n");
    }

    @Test
    void refusesContextsThatAreNotThereOrThereAlready() {
        Language language = languages().getFirst();
        refusal(() -> execute(A, language, GuestTask.HELLO)).is(ErrorCode.CONTEXT_NOT_FOUND);
        open(A, language);
        refusal(() -> open(A, language)).is(ErrorCode.ALREADY_EXISTS);
        sandbox().closeContext(A);
        refusal(() -> execute(A, language, GuestTask.HELLO)).is(ErrorCode.CONTEXT_NOT_FOUND);
        open(A, language);
        assertThat(execute(A, language, GuestTask.HELLO).stdout()).isEqualTo("hello, wörld\n");
    }

    @Test
    void refusesLanguagesThatTheTierDoesNotRun() {
        for (Language language : otherLanguages()) {
            refusal(() -> open(A, language)).is(ErrorCode.UNSUPPORTED, language.word(), "tier");
        }
    }
}
