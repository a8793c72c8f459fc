package dev.glovebox.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.EgressAttempt;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkLimits;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// What counts and limits.
class MeterTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void aBucketFillsWithTime() {
        AtomicLong now = new AtomicLong();
        TokenBucket bucket = new TokenBucket(10, 20, now::get);
        assertThat(bucket.take(15)).isEqualTo(15);
        assertThat(bucket.take(15)).isEqualTo(5);
        assertThat(bucket.tryTake()).isFalse();
        assertThat(bucket.nanosUntil(10)).isEqualTo(SECOND);
        now.addAndGet(SECOND / 2);
        assertThat(bucket.take(100)).isEqualTo(5);
        bucket.giveBack(3);
        assertThat(bucket.take(100)).isEqualTo(3);
        now.addAndGet(100 * SECOND);
        assertThat(bucket.take(100)).isEqualTo(20);
        bucket.change(1, 2);
        now.addAndGet(100 * SECOND);
        assertThat(bucket.take(100)).isEqualTo(2);
    }

    private static SandboxMeter meter(NetworkLimits limits) {
        return new SandboxMeter(limits, new Pool(1 << 20, () -> 1));
    }

    @Test
    void aMeterWithoutBoundsAllowsEverything() {
        SandboxMeter meter = meter(NetworkLimits.DEFAULT);
        assertThat(meter.allow(SandboxMeter.Way.OUT, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        meter.moved(SandboxMeter.Way.OUT, 1L << 40);
        assertThat(meter.isUsedUp()).isFalse();
        assertThat(meter.sent()).isEqualTo(1L << 40);
    }

    @Test
    void aMeterHoldsToItsBounds() {
        SandboxMeter meter = meter(new NetworkLimits(10, 1, 1000, 5000));
        assertThat(meter.allow(SandboxMeter.Way.IN, 5000)).isEqualTo(1000);
        assertThat(meter.allow(SandboxMeter.Way.OUT, 400)).isEqualTo(400);
        assertThat(meter.nanosUntilAllowed(SandboxMeter.Way.IN)).isPositive();
        for (int i = 0; i < 4; i++) {
            assertThat(meter.tryConnect()).isTrue();
        }
        assertThat(meter.tryConnect()).isFalse();
        meter.moved(SandboxMeter.Way.IN, 3000);
        meter.moved(SandboxMeter.Way.OUT, 2000);
        assertThat(meter.isUsedUp()).isFalse();
        meter.moved(SandboxMeter.Way.OUT, 1);
        assertThat(meter.isUsedUp()).isTrue();
        meter.change(NetworkLimits.DEFAULT);
        assertThat(meter.isUsedUp()).isFalse();
    }

    @Test
    void whatRepeatsItselfIsCounted() {
        List<EgressEvent> events = new ArrayList<>();
        EgressLog log = new EgressLog(new SandboxId("i" + "a".repeat(20)), events::add, Clock.systemUTC());
        EgressAttempt attempt = EgressAttempt.tcp(IpAddress.v4(0x01010101), 22, Set.of());
        for (int i = 0; i < 1000; i++) {
            log.refused(EgressEvent.Kind.CONNECTION_DENIED, attempt, "default.closed", "closed");
        }
        assertThat(events).hasSize(1);
        log.flush();
        assertThat(events).hasSize(2);
        assertThat(events.getLast().times()).isEqualTo(999);
        assertThat(events.getLast().details()).containsEntry("times", "999").containsEntry("address", "1.1.1.1");
        for (int port = 1; port <= 5000; port++) {
            log.refused(
                    EgressEvent.Kind.CONNECTION_DENIED,
                    EgressAttempt.tcp(IpAddress.v4(0x01010101), port, Set.of()),
                    "default.closed",
                    "closed");
        }
        log.flush();
        assertThat(events).hasSizeLessThan(400);
        assertThat(events.stream().mapToLong(EgressEvent::times).sum()).isEqualTo(6000);
    }
}
