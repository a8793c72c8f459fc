package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Time stands still here unless a test moves it.
class GuestQueueTest {
    private record Named(String name) implements GuestScheduler.Task {
        @Override
        public int program() {
            return EndlessPrograms.UNKNOWN;
        }

        @Override
        public void run(GuestScheduler.Turn turn) {}

        @Override
        public void refuse(String why) {}
    }

    private final GuestQueue queue = new GuestQueue(2);
    private long now = Long.MAX_VALUE - 1; // the clock may overflow

    private void add(String... names) {
        for (String name : names) {
            queue.add(new Named(name), now, false);
        }
    }

    private void becomePatient() {
        now += GuestQueue.PATIENCE_NANOS;
    }

    private static @Nullable String name(GuestQueue.@Nullable Next next) {
        return next == null ? null : ((Named) next.task()).name() + (next.isPatient() ? " (patient)" : "");
    }

    private List<@Nullable String> all(GuestQueue from) {
        List<@Nullable String> names = new ArrayList<>();
        for (GuestQueue.Next next = from.next(now); next != null; next = from.next(now)) {
            names.add(name(next));
        }
        return names;
    }

    @Test
    void theOldestGoesFirstWhileFewWait() {
        add("a", "b");
        assertThat(all(queue)).containsExactly("a", "b");
    }

    @Test
    void theNewestGoesFirstInABurst() {
        add("a", "b", "c", "d");
        assertThat(all(queue)).containsExactly("d", "c", "a", "b");
    }

    @Test
    void newcomersGoBeforeThePatientAndThoseInTheirOrder() {
        add("a", "b");
        becomePatient();
        add("c", "d");
        assertThat(all(queue)).containsExactly("d", "c", "a (patient)", "b (patient)");
    }

    @Test
    void aProgramKnownAsEndlessIsNoNewcomer() {
        queue.add(new Named("endless"), now, true);
        add("short");
        assertThat(all(queue)).containsExactly("short", "endless (patient)");
    }

    @Test
    void besideACrowdThePatientHaveAllPlacesButOne() {
        add("a", "b");
        becomePatient();
        assertThat(name(queue.nextBesideCrowd(now, 0))).isEqualTo("a (patient)");
        assertThat(queue.nextBesideCrowd(now, 1)).isNull();
        add("c");
        assertThat(name(queue.nextBesideCrowd(now, 1))).isEqualTo("c");
        assertThat(name(queue.nextBesideCrowd(now, 0))).isEqualTo("b (patient)");
    }

    @Test
    void besideACrowdThePatientHaveTheFirstChoiceOfTheirPlace() {
        add("a");
        becomePatient();
        add("b", "c");
        assertThat(name(queue.nextBesideCrowd(now, 0))).isEqualTo("a (patient)");
        assertThat(name(queue.nextBesideCrowd(now, 1))).isEqualTo("c");
    }

    @Test
    void aPlaceRestsForThePatientOnlyAndNotForLong() {
        add("a");
        becomePatient();
        add("b");
        queue.rest(now);
        assertThat(name(queue.nextBesideCrowd(now, 0))).isEqualTo("b");
        now += GuestQueue.REST_NANOS - 1;
        assertThat(queue.nextBesideCrowd(now, 0)).isNull();
        now++;
        assertThat(name(queue.nextBesideCrowd(now, 0))).isEqualTo("a (patient)");
    }

    @Test
    void ofThePatientThoseAreServedWhoProveToBeShortAtWhicheverEndTheyStand() {
        add("long 1", "long 2", "long 3", "short 1", "short 2", "short 3");
        becomePatient();
        List<@Nullable String> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String name = name(queue.nextBesideCrowd(now, 0));
            order.add(name);
            if (name != null && name.startsWith("long")) {
                queue.rest(now);
                now += GuestQueue.REST_NANOS;
            }
        }
        assertThat(order)
                .containsExactly(
                        "long 1 (patient)",
                        "short 3 (patient)",
                        "short 2 (patient)",
                        "short 1 (patient)",
                        "long 3 (patient)",
                        "long 2 (patient)");
    }

    @Test
    void withOnePlaceThePatientAndNewcomersTakeTurns() {
        GuestQueue one = new GuestQueue(1);
        one.add(new Named("a"), now, true);
        one.add(new Named("b"), now, true);
        one.add(new Named("c"), now, false);
        one.add(new Named("d"), now, false);
        List<@Nullable String> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            order.add(name(one.nextBesideCrowd(now, 0)));
        }
        assertThat(order).containsExactly("a (patient)", "d", "b (patient)", "c", null);
    }

    @Test
    void whatWaitedTooLongIsTakenOutWhereverItStands() {
        add("a");
        queue.add(new Named("b"), now, true);
        now += 10;
        add("c");
        assertThat(queue.removeLate(now, 10))
                .extracting(task -> ((Named) task).name())
                .containsExactly("a", "b");
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void whatIsTakenBackIsGone() {
        add("a", "b");
        becomePatient();
        add("c");
        GuestScheduler.Task d = new Named("d");
        queue.add(d, now, false);
        assertThat(queue.remove(d)).isTrue();
        assertThat(queue.remove(d)).isFalse();
        assertThat(queue.removeAll()).hasSize(3);
        assertThat(queue.size()).isZero();
    }
}
