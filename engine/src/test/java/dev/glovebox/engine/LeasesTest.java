package dev.glovebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.SandboxId;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeasesTest {
    private static final Duration MOMENT = Duration.ofMillis(100);

    private final TestClock clock = new TestClock();
    private final BlockingQueue<SandboxId> ended = new LinkedBlockingQueue<>();

    private static SandboxId id() {
        return SandboxId.random(new SecureRandom());
    }

    private SandboxId next() throws InterruptedException {
        SandboxId id = ended.poll(5, TimeUnit.SECONDS);
        assertThat(id).as("a lease that ended").isNotNull();
        return id;
    }

    private void nothingEnds() throws InterruptedException {
        assertThat(ended.poll(MOMENT.toMillis(), TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void aLeaseEndsWithinASecondOfItsTime() throws InterruptedException {
        Clock real = Clock.systemUTC();
        try (Leases leases = new Leases(real, ended::add)) {
            SandboxId id = id();
            Instant due = real.instant().plusMillis(50);
            leases.set(id, due);
            assertThat(next()).isEqualTo(id);
            assertThat(real.instant()).isBetween(due, due.plusSeconds(1));
        }
    }

    @Test
    void aLeaseEndsAlthoughTheClockJumped() throws InterruptedException {
        try (Leases leases = new Leases(clock, ended::add)) {
            SandboxId id = id();
            leases.set(id, clock.instant().plus(Duration.ofHours(1)));
            nothingEnds();
            clock.advance(Duration.ofHours(2));
            assertThat(next()).isEqualTo(id);
        }
    }

    @Test
    void leasesEndInTheOrderOfTheirTimes() throws InterruptedException {
        Clock real = Clock.systemUTC();
        try (Leases leases = new Leases(real, ended::add)) {
            List<SandboxId> ids = new ArrayList<>();
            Instant now = real.instant();
            for (int i = 0; i < 5; i++) {
                ids.add(id());
            }
            for (int i = 4; i >= 0; i--) {
                leases.set(ids.get(i), now.plusMillis(100 + 60L * i));
            }
            for (SandboxId id : ids) {
                assertThat(next()).isEqualTo(id);
            }
        }
    }

    @Test
    void theLastWordCounts() throws InterruptedException {
        try (Leases leases = new Leases(clock, ended::add)) {
            SandboxId longer = id();
            SandboxId shorter = id();
            leases.set(longer, clock.instant().plusSeconds(10));
            leases.set(longer, clock.instant().plusSeconds(100));
            leases.set(shorter, clock.instant().plusSeconds(100));
            leases.set(shorter, clock.instant().plusSeconds(10));
            clock.advance(Duration.ofSeconds(50));
            assertThat(next()).isEqualTo(shorter);
            nothingEnds();
            clock.advance(Duration.ofSeconds(51));
            assertThat(next()).isEqualTo(longer);
            nothingEnds();
        }
    }

    @Test
    void aForgottenLeaseDoesNotEnd() throws InterruptedException {
        try (Leases leases = new Leases(clock, ended::add)) {
            SandboxId id = id();
            leases.set(id, clock.instant().plusSeconds(10));
            leases.forget(id);
            leases.forget(id());
            clock.advance(Duration.ofSeconds(11));
            nothingEnds();
        }
    }

    @Test
    void extendingOftenTakesNoMemory() {
        try (Leases leases = new Leases(clock, ended::add)) {
            SandboxId id = id();
            for (int i = 0; i < 10_000; i++) {
                leases.set(id, clock.instant().plusSeconds(100_000 + i));
            }
            assertThat(leases.pending()).isEqualTo(1);
            leases.forget(id);
            assertThat(leases.pending()).isZero();
        }
    }

    @Test
    void afterItsEndNothingEndsAnyMore() throws InterruptedException {
        Leases leases = new Leases(clock, ended::add);
        leases.set(id(), clock.instant().plusSeconds(1));
        leases.close();
        clock.advance(Duration.ofSeconds(2));
        assertThat(ended.poll(1_200, TimeUnit.MILLISECONDS)).isNull();
    }
}
