package dev.glovebox.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SandboxStateTest {
    private static final Instant NOW = Instant.EPOCH;
    private static final List<SandboxState> ALL = List.of(
            new SandboxState.Creating(),
            new SandboxState.Running(NOW),
            new SandboxState.Pausing(),
            new SandboxState.Paused(NOW),
            new SandboxState.Resuming(),
            new SandboxState.Killing(StopReason.KILLED),
            new SandboxState.Dead(StopReason.KILLED, NOW));

    /// The whole table: what is not in here must be refused.
    private static final Map<String, Set<String>> LEGAL = Map.of(
            "creating", Set.of("running", "killing", "dead"),
            "running", Set.of("pausing", "killing", "dead"),
            "pausing", Set.of("paused", "running", "killing"),
            "paused", Set.of("resuming", "killing"),
            "resuming", Set.of("running", "paused", "killing"),
            "killing", Set.of("dead"),
            "dead", Set.of());

    @Test
    void everyPairIsLegalOrNotAsTheTableSays() {
        for (SandboxState from : ALL) {
            for (SandboxState to : ALL) {
                assertThat(from.mayBecome(to))
                        .as(from.word() + " to " + to.word())
                        .isEqualTo(LEGAL.getOrDefault(from.word(), Set.of()).contains(to.word()));
            }
        }
    }

    @Test
    void everyStateHasAWordOfItsOwn() {
        assertThat(ALL.stream().map(SandboxState::word)).doesNotHaveDuplicates();
        assertThat(ALL.stream().map(SandboxState::word).toList()).containsExactlyInAnyOrderElementsOf(LEGAL.keySet());
    }

    @Test
    void fromEverywhereButDeathASandboxCanBeEnded() {
        for (SandboxState from : ALL.subList(0, ALL.size() - 2)) {
            assertThat(from.mayBecome(new SandboxState.Killing(StopReason.SERVER_STOPPED)))
                    .as(from.word())
                    .isTrue();
        }
    }
}
