package dev.glovebox.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PolicyTest {
    private static final long MIB = 1L << 20;
    private static final ResourceLimits MOST =
            new ResourceLimits(Duration.ofSeconds(10), Duration.ofSeconds(5), 64 * MIB, 1000, 2000, 30);
    private static final Policy POLICY =
            new Policy(Set.of(Tier.WASM, Tier.GVISOR), MOST, Duration.ofMinutes(10), 3, false);

    private static void denied(Decision decision, String rule, String... words) {
        assertThat(decision).isInstanceOf(Decision.Deny.class);
        Decision.Deny deny = (Decision.Deny) decision;
        assertThat(deny.rule()).isEqualTo(rule);
        assertThat(deny.reason()).contains(words);
    }

    @ParameterizedTest
    @EnumSource(Tier.class)
    void allowsATierOnlyByName(Tier tier) {
        Decision decision = POLICY.decideTier(tier);
        if (EnumSet.of(Tier.WASM, Tier.GVISOR).contains(tier)) {
            assertThat(decision).isEqualTo(new Decision.Allow("tier." + tier.word()));
        } else {
            denied(decision, "tier." + tier.word(), "allows the tiers gvisor, wasm, not " + tier.word());
        }
    }

    @Test
    void allowsLimitsUpToItsOwn() {
        assertThat(POLICY.decideLimits(MOST)).isEqualTo(new Decision.Allow("limits.max"));
        assertThat(POLICY.decideLimits(
                        new ResourceLimits(Duration.ofMillis(1), Duration.ofMillis(1), 16 * MIB, 0, 0, 1)))
                .isInstanceOf(Decision.Allow.class);
    }

    @Test
    void deniesEachLimitThatIsBeyondAndNamesBoth() {
        Duration wall = MOST.wallTime();
        Duration cpu = MOST.cpuTime();
        Duration tick = Duration.ofMillis(1);
        String rule = "limits.max";
        denied(
                POLICY.decideLimits(new ResourceLimits(wall.plus(tick), cpu, 64 * MIB, 1000, 2000, 30)),
                rule,
                "wall time in ms of 10001 is more than the 10000 of this tenant's policy");
        denied(
                POLICY.decideLimits(new ResourceLimits(wall, cpu.plus(tick), 64 * MIB, 1000, 2000, 30)),
                rule,
                "cpu time in ms of 5001 is more than the 5000");
        denied(
                POLICY.decideLimits(new ResourceLimits(wall, cpu, 64 * MIB + 1, 1000, 2000, 30)),
                rule,
                "memory in bytes of 67108865 is more than the 67108864");
        denied(
                POLICY.decideLimits(new ResourceLimits(wall, cpu, 64 * MIB, 1001, 2000, 30)),
                rule,
                "output in bytes of 1001 is more than the 1000");
        denied(
                POLICY.decideLimits(new ResourceLimits(wall, cpu, 64 * MIB, 1000, 2001, 30)),
                rule,
                "disk in bytes of 2001 is more than the 2000");
        denied(
                POLICY.decideLimits(new ResourceLimits(wall, cpu, 64 * MIB, 1000, 2000, 31)),
                rule,
                "file count of 31 is more than the 30");
    }

    @Test
    void decidesALease() {
        assertThat(POLICY.decideLease(Duration.ofMinutes(10))).isEqualTo(new Decision.Allow("lease.max"));
        denied(
                POLICY.decideLease(Duration.ofMinutes(10).plusSeconds(1)),
                "lease.max",
                "a lease of 601 s is longer than the 600 s of this tenant's policy");
    }

    @Test
    void aPolicyWithoutTiersAllowsNothing() {
        Policy none = new Policy(Set.of(), MOST, Duration.ofMinutes(1), 0, false);
        for (Tier tier : Tier.values()) {
            assertThat(none.decideTier(tier)).isInstanceOf(Decision.Deny.class);
        }
    }
}
