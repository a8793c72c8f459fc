package dev.glovebox.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.SandboxUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UsageHistoryTest {
    private static final Instant BEGUN = Instant.parse("2026-11-30T12:00:00Z");

    private final UsageHistory history = new UsageHistory(BEGUN, 2);

    private static SandboxUsage usage(Duration cpuTime) {
        return new SandboxUsage(cpuTime, 1, 2, 3, 4, 5, 6);
    }

    private List<UsageHistory.Sample> all() {
        return history.between(BEGUN, BEGUN.plus(Duration.ofDays(2)));
    }

    @Test
    void tellsTheShareSinceTheSampleBefore() {
        history.add(BEGUN.plusSeconds(4), usage(Duration.ofSeconds(2)));
        history.add(BEGUN.plusSeconds(8), usage(Duration.ofSeconds(10)));
        history.add(BEGUN.plusSeconds(12), usage(Duration.ofSeconds(10)));
        history.add(BEGUN.plusSeconds(12), usage(Duration.ofSeconds(10)));
        assertThat(all()).extracting(UsageHistory.Sample::cpuShare).containsExactly(0.25, 1.0, 0.0, 0.0);
    }

    @Test
    void remembersADayInABoundedNumberOfSamples() {
        for (long second = 0; second < Duration.ofDays(1).toSeconds(); second += 5) {
            Instant now = BEGUN.plusSeconds(second);
            if (history.isDue(now)) {
                history.add(now, usage(Duration.ofSeconds(second)));
            }
            assertThat(all().size()).isLessThanOrEqualTo(UsageHistory.SAMPLES_MAX);
        }
        assertThat(all()).hasSizeGreaterThan(UsageHistory.SAMPLES_MAX / 2);
        assertThat(all().getFirst().at()).isBefore(BEGUN.plus(Duration.ofMinutes(10)));
        assertThat(all().getLast().at()).isAfter(BEGUN.plus(Duration.ofHours(23)));
        assertThat(all()).isSortedAccordingTo((a, b) -> a.at().compareTo(b.at()));
    }
}
