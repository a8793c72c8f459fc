package dev.glovebox.cell.wasi;

import static dev.glovebox.cell.wasi.TestGuest.BUFFER;
import static dev.glovebox.cell.wasi.TestGuest.RESULT;
import static dev.glovebox.cell.wasi.TestGuest.ROOT;
import static dev.glovebox.cell.wasi.TestGuest.VECTORS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.cell.fs.Errno;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(5)
class PollCallsTest {
    private static final long HOUR_NANOS = 3_600_000_000_000L;

    private final TestGuest guest = new TestGuest();
    private int subscriptions;

    private void clock(long userdata, int clock, long timeout, int flags) {
        int at = VECTORS + 48 * subscriptions++;
        guest.memory
                .putLong(at, userdata)
                .put(at + 8, (byte) 0)
                .putInt(at + 16, clock)
                .putLong(at + 24, timeout)
                .putLong(at + 32, 0)
                .putShort(at + 40, (short) flags);
    }

    private void descriptor(long userdata, int type, int fd) {
        int at = VECTORS + 48 * subscriptions++;
        guest.memory.putLong(at, userdata).put(at + 8, (byte) type).putInt(at + 16, fd);
    }

    private Errno poll() {
        return guest.call(WasiFunction.POLL_ONEOFF, VECTORS, BUFFER, subscriptions, RESULT);
    }

    private int events() {
        assertThat(poll()).isEqualTo(Errno.SUCCESS);
        return guest.memory.getInt(RESULT);
    }

    private void assertEvent(int index, long userdata, Errno errno, int type) {
        int at = BUFFER + 32 * index;
        assertThat(guest.memory.getLong(at)).isEqualTo(userdata);
        assertThat(guest.memory.getShort(at + 8)).isEqualTo((short) errno.code());
        assertThat(guest.memory.get(at + 10)).isEqualTo((byte) type);
    }

    @Test
    void reportsTheClocksThatRanOutFirst() {
        clock(7, 1, HOUR_NANOS, 0);
        clock(8, 1, 1_000_000, 0);
        clock(9, 0, 0, 0);
        assertThat(events()).isEqualTo(1);
        assertEvent(0, 9, Errno.SUCCESS, 0);
    }

    @Test
    void sleepsForARelativeTime() {
        clock(8, 1, 1_000_000, 0);
        long start = System.nanoTime();
        assertThat(events()).isEqualTo(1);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(1_000_000);
    }

    @Test
    void takesAnAbsoluteTimeInThePastAsNow() {
        clock(1, 0, TestGuest.NOW_NANOS - 1_000_000_000, 1);
        clock(2, 0, TestGuest.NOW_NANOS + HOUR_NANOS, 1);
        assertThat(events()).isEqualTo(1);
        assertEvent(0, 1, Errno.SUCCESS, 0);
    }

    @Test
    void saysThatDescriptorsAreReadyBeforeAnyClock() {
        clock(1, 1, HOUR_NANOS, 0);
        descriptor(2, 1, 0);
        descriptor(3, 2, 1);
        descriptor(4, 1, ROOT);
        assertThat(events()).isEqualTo(3);
        assertEvent(0, 2, Errno.SUCCESS, 1);
        assertEvent(1, 3, Errno.SUCCESS, 2);
        assertEvent(2, 4, Errno.SUCCESS, 1);
        assertThat(guest.memory.getLong(BUFFER + 16)).isEqualTo(1);
    }

    @Test
    void reportsABadSubscriptionAsItsOwnEvent() {
        clock(1, 1, HOUR_NANOS, 0);
        descriptor(2, 1, 99);
        descriptor(3, 3, 0);
        clock(4, 2, 0, 0);
        assertThat(events()).isEqualTo(3);
        assertEvent(0, 2, Errno.BADF, 1);
        assertEvent(1, 3, Errno.INVAL, 3);
        assertEvent(2, 4, Errno.INVAL, 0);
    }

    @Test
    void boundsTheNumberOfSubscriptions() {
        assertThat(guest.call(WasiFunction.POLL_ONEOFF, 0, 0, 0, RESULT)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.POLL_ONEOFF, 0, 0, 1025, RESULT)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.POLL_ONEOFF, 0, 0, -1, RESULT)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.POLL_ONEOFF, TestGuest.MEMORY_BYTES - 47, 0, 1, RESULT))
                .isEqualTo(Errno.FAULT);
        assertThat(guest.call(WasiFunction.POLL_ONEOFF, 0, TestGuest.MEMORY_BYTES - 31, 1, RESULT))
                .isEqualTo(Errno.FAULT);
    }

    @Test
    void endsASleepAtOnceWhenItsThreadIsInterrupted() {
        clock(1, 1, HOUR_NANOS, 0);
        Thread.currentThread().interrupt();
        assertThatThrownBy(this::poll).isInstanceOf(GuestInterrupted.class).hasMessage("the guest was interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void endsASleepThatIsUnderWayWhenInterrupted() throws Exception {
        clock(1, 1, -1, 0);
        Thread sleeper =
                Thread.ofPlatform().start(() -> assertThatThrownBy(this::poll).isInstanceOf(GuestInterrupted.class));
        while (sleeper.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        sleeper.interrupt();
        sleeper.join();
    }

    @Test
    void wakesASleepingGuestAsIfTheTimeHadPassed() throws Exception {
        clock(1, 1, HOUR_NANOS, 0);
        Thread sleeper = Thread.ofPlatform().start(() -> assertThat(events()).isEqualTo(1));
        while (sleeper.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        guest.wasi.wake();
        sleeper.join();
        assertEvent(0, 1, Errno.SUCCESS, 0);
    }

    @Test
    void keepsOneWakeUpForTheNextSleepAndNotMore() {
        guest.wasi.wake();
        guest.wasi.wake();
        clock(1, 1, HOUR_NANOS, 0);
        assertThat(events()).isEqualTo(1);
        subscriptions = 0;
        clock(1, 1, 1_000_000, 0);
        long start = System.nanoTime();
        assertThat(events()).isEqualTo(1);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(1_000_000);
    }
}
