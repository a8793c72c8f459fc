package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Which kinds are made ready. What makes them says so, and then fails, so that nothing is started.
class LinuxPoolsTest {
    private final BlockingQueue<LinuxStart> made = new LinkedBlockingQueue<>();
    private final LinuxPools pools = new LinuxPools(Map.of("jail", 2), wanted -> () -> {
        made.add(wanted);
        throw new GloveboxException(ErrorCode.INTERNAL, "a test makes none");
    });

    @AfterEach
    void close() {
        pools.close();
    }

    private static LinuxStart start(Tier tier, long memoryMebibytes) {
        ResourceLimits d = ResourceLimits.DEFAULT;
        return new LinuxStart(
                tier,
                "code",
                new ResourceLimits(
                        d.wallTime(),
                        d.cpuTime(),
                        memoryMebibytes << 20,
                        d.outputBytes(),
                        d.diskBytes(),
                        d.fileCount()),
                false);
    }

    private boolean isMade(LinuxStart wanted) throws InterruptedException {
        return wanted.equals(made.poll(5, TimeUnit.SECONDS));
    }

    @Test
    void whatStandsIsMadeAtOnce() throws InterruptedException {
        pools.stand(start(Tier.JAIL, 100));
        assertThat(isMade(start(Tier.JAIL, 100))).isTrue();
        assertThat(pools.take(start(Tier.JAIL, 100))).isEmpty();
        assertThat(pools.counts(Tier.JAIL)).isEqualTo(new LinuxPool.Counts(0, 1));
    }

    @Test
    void whatIsWantedTwiceIsMadeReady() throws InterruptedException {
        assertThat(pools.take(start(Tier.JAIL, 200))).isEmpty();
        assertThat(pools.take(start(Tier.JAIL, 300))).isEmpty();
        assertThat(made).isEmpty();
        assertThat(pools.take(start(Tier.JAIL, 200))).isEmpty();
        assertThat(isMade(start(Tier.JAIL, 200))).isTrue();
        assertThat(made).isEmpty();
    }

    @Test
    void whatNoTierKeepsReadyIsNotMade() {
        for (int i = 0; i < 3; i++) {
            assertThat(pools.take(start(Tier.GVISOR, 200))).isEmpty();
        }
        assertThat(made).isEmpty();
        assertThat(pools.counts(Tier.GVISOR)).isEqualTo(new LinuxPool.Counts(0, 0));
    }

    @Test
    void theLeastLatelyWantedGivesWay() {
        for (int mebibytes = 100; mebibytes < 107; mebibytes++) {
            pools.take(start(Tier.JAIL, mebibytes));
            pools.take(start(Tier.JAIL, mebibytes));
        }
        // The first was dismissed with its one miss; the others count theirs.
        assertThat(pools.counts(Tier.JAIL)).isEqualTo(new LinuxPool.Counts(0, 6));
        pools.take(start(Tier.JAIL, 100));
        assertThat(pools.counts(Tier.JAIL)).isEqualTo(new LinuxPool.Counts(0, 6));
    }

    @Test
    void nothingIsMadeBehindTheEnd() {
        pools.close();
        pools.take(start(Tier.JAIL, 100));
        pools.take(start(Tier.JAIL, 100));
        assertThat(made).isEmpty();
    }
}
