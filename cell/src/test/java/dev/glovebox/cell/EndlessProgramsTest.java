package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EndlessProgramsTest {
    private static final Outcome TIMED_OUT = new Outcome.TimedOut(Duration.ofMillis(200), Outcome.Clock.WALL);

    private final EndlessPrograms programs = new EndlessPrograms();

    @Test
    void aProgramIsEndlessFromItsLimitUntilItEndsByItself() {
        programs.learn(7, TIMED_OUT);
        assertThat(programs.contains(7)).isTrue();
        assertThat(programs.contains(8)).isFalse();
        programs.learn(7, new Outcome.Killed("cancelled"));
        assertThat(programs.contains(7)).isTrue();
        programs.learn(7, new Outcome.Exited(1));
        assertThat(programs.contains(7)).isFalse();
    }

    @Test
    void whatIsUnknownIsNeverEndless() {
        programs.learn(EndlessPrograms.UNKNOWN, TIMED_OUT);
        assertThat(programs.contains(EndlessPrograms.UNKNOWN)).isFalse();
    }

    @Test
    void theMemoryIsBounded() {
        for (int program = 1; program <= EndlessPrograms.KNOWN_MAX + 1; program++) {
            programs.learn(program, TIMED_OUT);
        }
        assertThat(programs.contains(1)).isFalse();
        assertThat(programs.contains(EndlessPrograms.KNOWN_MAX + 1)).isTrue();
    }
}
