package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.Usage;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutcomesTest {
    private static final String HOSTILE = "a\u001b[31m\u009b31m\u202e\u2028\nb\0\ud800";

    @Test
    void readsEveryOutcomeOfThePage() {
        assertThat(Outcomes.outcome(outcome(1).number(Tag.EXIT_CODE, 255).build()))
                .isEqualTo(new Outcome.Exited(255));
        assertThat(Outcomes.outcome(outcome(2).number(Tag.WALL_MILLIS, 1500).build()))
                .isEqualTo(new Outcome.TimedOut(Duration.ofMillis(1500), Outcome.Clock.WALL));
        assertThat(Outcomes.outcome(outcome(2).number(Tag.CPU_MILLIS, 20).build()))
                .isEqualTo(new Outcome.TimedOut(Duration.ofMillis(20), Outcome.Clock.CPU));
        assertThat(Outcomes.outcome(outcome(3).number(Tag.MEMORY_BYTES, 1 << 27).build()))
                .isEqualTo(new Outcome.OutOfMemory(1 << 27));
        assertThat(Outcomes.outcome(outcome(4)
                        .text(Tag.RULE, "output")
                        .text(Tag.REASON, "wrote more")
                        .build()))
                .isEqualTo(new Outcome.KilledByPolicy("output", "wrote more"));
        assertThat(Outcomes.outcome(outcome(5).text(Tag.REASON, "a signal").build()))
                .isEqualTo(new Outcome.Killed("a signal"));
        assertThat(Outcomes.outcome(outcome(6).text(Tag.REASON, "it broke").build()))
                .isEqualTo(new Outcome.BackendLost("it broke"));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, 255, 1L << 32, (1L << 32) + 1, Long.MAX_VALUE})
    void refusesOutcomesThatDoNotExist(long kind) {
        assertThatThrownBy(() -> Outcomes.outcome(outcome(kind).build()))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("does not exist");
    }

    @ParameterizedTest
    @ValueSource(longs = {256, 257, 1L << 32, Long.MAX_VALUE})
    void refusesExitCodesThatAreNone(long code) {
        assertThatThrownBy(() ->
                        Outcomes.outcome(outcome(1).number(Tag.EXIT_CODE, code).build()))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field EXIT_CODE is " + code + "; the bound is 255");
    }

    @Test
    void refusesAnEndWithoutAnOutcomeOrACode() {
        assertThatThrownBy(() -> Outcomes.outcome(ScriptedAgent.ok().build()))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field OUTCOME is missing");
        assertThatThrownBy(() -> Outcomes.outcome(outcome(1).build()))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("field EXIT_CODE is missing");
    }

    @ParameterizedTest
    @EnumSource(
            value = Tag.class,
            names = {"USED_WALL_MICROS", "USED_CPU_MICROS", "USED_MEMORY_BYTES", "USED_OUTPUT_BYTES"})
    void refusesUsageThatCannotBe(Tag tag) {
        assertThatThrownBy(() ->
                        Outcomes.usage(outcome(1).number(tag, Long.MAX_VALUE).build()))
                .isInstanceOf(ProtocolException.class)
                .hasMessageStartingWith("field " + tag + " is 9223372036854775807; the bound is ");
    }

    @Test
    void readsUsage() {
        Usage usage = Outcomes.usage(outcome(1)
                .number(Tag.USED_WALL_MICROS, 1_500_000)
                .number(Tag.USED_CPU_MICROS, 20)
                .number(Tag.USED_MEMORY_BYTES, 30)
                .number(Tag.USED_OUTPUT_BYTES, 40)
                .build());
        assertThat(usage).isEqualTo(new Usage(Duration.ofMillis(1500), Duration.ofNanos(20_000), 30, 40));
        assertThat(Outcomes.usage(Fields.NONE)).isEqualTo(Usage.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "INVALID, INVALID_ARGUMENT",
        "NOT_FOUND, FILE_NOT_FOUND",
        "ALREADY_EXISTS, ALREADY_EXISTS",
        "NOT_A_DIRECTORY, WRONG_FILE_TYPE",
        "IS_A_DIRECTORY, WRONG_FILE_TYPE",
        "NOT_EMPTY, WRONG_FILE_TYPE",
        "PERMISSION, FORBIDDEN",
        "NO_SPACE, NO_SPACE",
        "TOO_MANY, QUOTA_EXCEEDED",
        "UNSUPPORTED, UNSUPPORTED",
        "CANCELLED, INTERNAL",
        "FAILED, INTERNAL"
    })
    void refusesWithTheAgentsWords(Status status, ErrorCode code) {
        Fields close = Fields.builder()
                .number(Tag.STATUS, status.code())
                .text(Tag.MESSAGE, "it is so")
                .build();
        assertThatThrownBy(() -> Outcomes.check(close))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(code))
                .hasMessage("it is so");
    }

    @Test
    void hasWordsForAnAgentThatHasNone() {
        Fields close = Fields.builder().number(Tag.STATUS, 8).build();
        assertThatThrownBy(() -> Outcomes.check(close)).hasMessage("the sandbox answered NO_SPACE");
    }

    @Test
    void takesAStatusThatItDoesNotKnowForAFailure() {
        Fields close = Fields.builder().number(Tag.STATUS, 99).build();
        assertThatThrownBy(() -> Outcomes.check(close))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INTERNAL));
        assertThatThrownBy(() -> Outcomes.check(Fields.NONE)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void missesAContextAndNotAFileWhenAnExecutionFindsNothing() {
        Fields close = Fields.builder().number(Tag.STATUS, 2).build();
        assertThatThrownBy(() -> Outcomes.checkExecution(close))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONTEXT_NOT_FOUND));
        assertThatThrownBy(() -> Outcomes.checkProcess(close))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND));
        Outcomes.checkExecution(Fields.builder().number(Tag.STATUS, 11).build());
    }

    @Test
    void cleansAndBoundsEveryTextThatIsShown() {
        Fields close = Fields.builder()
                .number(Tag.STATUS, 12)
                .bytes(Tag.MESSAGE, HOSTILE.replace("\ud800", "").getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .build();
        assertThatThrownBy(() -> Outcomes.check(close)).hasMessage("a?[31m?31m???b?");
        assertThat(Outcomes.printable(HOSTILE)).isEqualTo("a?[31m?31m???b??");

        Outcome killed =
                Outcomes.outcome(outcome(5).text(Tag.REASON, "x".repeat(50_000)).build());
        assertThat(((Outcome.Killed) killed).reason()).hasSize(1001).endsWith("x…");
        assertThat(Outcomes.printable("x".repeat(999) + "\ud83d\ude00")).endsWith("x?…");
        assertThat(Outcomes.printable("größer 😀")).isEqualTo("größer 😀");
    }

    @Test
    void readsWhatAFileIsAndPassesItsNamesAsData() {
        FileEntry entry = Outcomes.file(Fields.builder()
                .text(Tag.PATH, "/a\u001b[31m")
                .number(Tag.FILE_TYPE, 3)
                .number(Tag.FILE_SIZE, Long.MAX_VALUE)
                .number(Tag.FILE_MODE, 0xffff_ffffL)
                .number(Tag.FILE_MODIFIED, Long.MAX_VALUE)
                .text(Tag.LINK_TARGET, "\n")
                .build());
        assertThat(entry.path()).isEqualTo("/a\u001b[31m");
        assertThat(entry.linkTarget()).isEqualTo("\n");
        assertThat(entry.type()).isEqualTo(FileEntry.Type.SYMLINK);
        assertThat(entry.mode()).isEqualTo(07777);
        assertThat(entry.modified()).isEqualTo(Instant.parse("9999-12-31T23:59:59Z"));
    }

    @ParameterizedTest
    @CsvSource({"1, FILE", "2, DIRECTORY", "3, SYMLINK", "4, OTHER", "0, OTHER", "5, OTHER", "4294967297, OTHER"})
    void takesFilesOfUnknownTypeForOthers(long number, FileEntry.Type type) {
        FileEntry entry = Outcomes.file(Fields.builder()
                .text(Tag.PATH, "/")
                .number(Tag.FILE_TYPE, number)
                .build());
        assertThat(entry.type()).isEqualTo(type);
        assertThat(entry.modified()).isEqualTo(Instant.EPOCH);
    }

    private static Fields.Builder outcome(long kind) {
        return ScriptedAgent.ok().number(Tag.OUTCOME, kind);
    }
}
