package dev.glovebox.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutcomeTest {
    private static final List<Outcome> ALL = List.of(
            new Outcome.Exited(7),
            new Outcome.TimedOut(Duration.ofMillis(1500), Outcome.Clock.WALL),
            new Outcome.OutOfMemory(1024),
            new Outcome.KilledByPolicy("output.max", "wrote too much"),
            new Outcome.Killed("signal 9"),
            new Outcome.BackendLost("the cell died"));

    @Test
    void everyOutcomeHasItsWord() {
        assertThat(ALL.stream().map(Outcome::word))
                .containsExactly("exited", "timed_out", "out_of_memory", "killed_by_policy", "killed", "backend_lost");
    }

    @Test
    void everyOutcomeHasAnExitStatusOfItsOwn() {
        assertThat(ALL.stream().map(Outcome::exitStatus)).containsExactly(7, 124, 137, 152, 143, 125);
    }

    @Test
    void everyOutcomeIsASentenceThatNamesItsBound() {
        assertThat(ALL.stream().map(Outcome::sentence))
                .containsExactly(
                        "exited with status 7",
                        "ended at its limit of 1500 ms of wall time",
                        "needed more memory than its limit of 1024 bytes",
                        "wrote too much (rule output.max)",
                        "was ended: signal 9",
                        "was lost: the cell died");
        assertThat(new Outcome.TimedOut(Duration.ofSeconds(1), Outcome.Clock.CPU).sentence())
                .isEqualTo("ended at its limit of 1000 ms of processor time");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 256, Integer.MIN_VALUE})
    void anExitCodeIsAByte(int code) {
        assertThatThrownBy(() -> new Outcome.Exited(code))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0..255");
    }

    @Test
    void errorsKeepTheirWordsAndStatuses() {
        assertThat(ErrorCode.SANDBOX_NOT_FOUND.word()).isEqualTo("sandbox_not_found");
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(code.httpStatus()).as(code.word()).isBetween(400, 599);
            boolean ours = code.kind() != ErrorCode.Kind.CALLER && code.kind() != ErrorCode.Kind.POLICY;
            assertThat(code.httpStatus() >= 500 || code.httpStatus() == 429)
                    .as(code.word())
                    .isEqualTo(ours);
        }
    }
}
