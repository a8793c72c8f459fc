package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GuestSchedulerTest {
    private static final int PROGRAM = 42;

    private final AtomicLong now = new AtomicLong();
    private final GuestScheduler scheduler = scheduler(1);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        scheduler.close();
    }

    private GuestScheduler scheduler(int places) {
        return new GuestScheduler(places, 4, TimeUnit.SECONDS.toNanos(10), now::get);
    }

    private GuestScheduler.Task task(String name, Consumer<GuestScheduler.Turn> work) {
        return task(name, EndlessPrograms.UNKNOWN, work);
    }

    private GuestScheduler.Task task(String name, int program, Consumer<GuestScheduler.Turn> work) {
        return new GuestScheduler.Task() {
            @Override
            public int program() {
                return program;
            }

            @Override
            public void run(GuestScheduler.Turn turn) {
                order.add(name);
                work.accept(turn);
            }

            @Override
            public void refuse(String why) {
                order.add(name + " refused: " + why);
            }
        };
    }

    private GuestScheduler.Task blocker(CountDownLatch begun) {
        return task("blocker", _ -> {
            begun.countDown();
            await(gate);
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void occupy() {
        CountDownLatch begun = new CountDownLatch(1);
        scheduler.submit(blocker(begun));
        await(begun);
    }

    @Test
    void runsTheNewestFirstUnderPressure() {
        occupy();
        CountDownLatch done = new CountDownLatch(4);
        for (String name : List.of("a", "b", "c", "d")) {
            scheduler.submit(task(name, _ -> done.countDown()));
        }
        gate.countDown();
        await(done);
        // When one is left, there is no pressure any more.
        assertThat(order).containsExactly("blocker", "d", "c", "b", "a");
    }

    @Test
    void refusesWhenTheQueueIsFull() {
        occupy();
        for (int i = 0; i < 5; i++) {
            scheduler.submit(task("t" + i, _ -> {}));
        }
        assertThat(order)
                .element(1)
                .asString()
                .isEqualTo("t4 refused: already 4 runs wait in this cell; try again later");
    }

    @Test
    void refusesWhatWaitedTooLong() {
        occupy();
        scheduler.submit(task("late", _ -> {}));
        scheduler.tend();
        assertThat(order).containsExactly("blocker");
        now.addAndGet(TimeUnit.SECONDS.toNanos(11));
        scheduler.tend();
        assertThat(order).element(1).asString().startsWith("late refused: waited 10 s");
    }

    @Test
    void startsWithoutAPlaceWhatHasWaitedLong() {
        occupy();
        CountDownLatch done = new CountDownLatch(1);
        scheduler.submit(task("patient", _ -> done.countDown()));
        now.addAndGet(GuestQueue.PATIENCE_NANOS);
        scheduler.tend();
        await(done);
        assertThat(order).containsExactly("blocker", "patient");
    }

    @Test
    void takesBackOnlyWhatHasNotBegun() {
        CountDownLatch begun = new CountDownLatch(1);
        GuestScheduler.Task running = blocker(begun);
        scheduler.submit(running);
        await(begun);
        GuestScheduler.Task waiting = task("never", _ -> {});
        scheduler.submit(waiting);
        assertThat(scheduler.withdraw(running)).isFalse();
        assertThat(scheduler.withdraw(waiting)).isTrue();
        assertThat(scheduler.queued()).isZero();
    }

    @Test
    void aGuestThatWaitsLetsTheNextOneRun() {
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch back = new CountDownLatch(1);
        scheduler.submit(task("first", turn -> {
            turn.wait(() -> await(second));
            back.countDown();
        }));
        scheduler.submit(task("second", _ -> second.countDown()));
        await(back);
        assertThat(order).containsExactly("first", "second");
    }

    @Test
    void aDemotedGuestRunsBesideTheNextOneAndItsThreadIsNotUsedAgain() {
        CountDownLatch second = new CountDownLatch(1);
        AtomicInteger demotedThread = new AtomicInteger();
        AtomicInteger laterThread = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        scheduler.submit(task("first", turn -> {
            demotedThread.set(turn.threadId());
            turn.demote();
            await(second);
        }));
        scheduler.submit(task("second", _ -> second.countDown()));
        await(second);
        scheduler.submit(task("third", turn -> {
            laterThread.set(turn.threadId());
            done.countDown();
        }));
        await(done);
        assertThat(laterThread.get()).isNotEqualTo(demotedThread.get());
    }

    /// So many long guests that they are a crowd.
    private void crowd(GuestScheduler in, int places) {
        for (int i = 0; i < GuestScheduler.CROWD_PER_PLACE * places; i++) {
            CountDownLatch isBehind = new CountDownLatch(1);
            in.submit(task("long", turn -> {
                turn.demote();
                isBehind.countDown();
                await(gate);
            }));
            await(isBehind);
        }
        order.clear();
    }

    /// Occupies a place until the gate opens, and tells whether what stands ready was for it.
    private GuestScheduler.Task holder(String name, CountDownLatch begun) {
        return task(name, turn -> {
            order.add(turn.mayTakeReady() ? "ready" : "fresh");
            begun.countDown();
            await(gate);
        });
    }

    @Test
    void besideACrowdOnePlaceIsKeptForNewcomers() {
        try (GuestScheduler two = scheduler(2)) {
            crowd(two, 2);
            CountDownLatch both = new CountDownLatch(2);
            two.submit(holder("a", both));
            two.submit(holder("b", both));
            await(both);
            // They wait for a place, and become patient; then both places become free.
            two.submit(task("c", _ -> {}));
            two.submit(task("d", _ -> {}));
            now.addAndGet(GuestQueue.PATIENCE_NANOS);
            two.tend();
            assertThat(two.queued()).isEqualTo(2);
        }
    }

    @Test
    void besideACrowdThePatientStartOneAfterTheOtherAndAtAPace() {
        try (GuestScheduler two = scheduler(2)) {
            crowd(two, 2);
            CountDownLatch full = new CountDownLatch(2);
            CountDownLatch free = new CountDownLatch(1);
            for (String name : List.of("x", "y")) {
                two.submit(task(name, _ -> {
                    full.countDown();
                    await(free);
                }));
            }
            await(full);
            CountDownLatch firstIsThere = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            CountDownLatch secondIsThere = new CountDownLatch(1);
            two.submit(task("first", turn -> {
                order.add(turn.mayTakeReady() ? "ready" : "fresh");
                firstIsThere.countDown();
                await(goOn);
                turn.demote();
                secondIsThere.countDown();
                await(gate);
            }));
            CountDownLatch third = new CountDownLatch(1);
            two.submit(task("second", _ -> third.countDown()));
            now.addAndGet(GuestQueue.PATIENCE_NANOS);
            order.clear();
            free.countDown();
            await(firstIsThere);
            // One place is free, and not for the patient.
            CountDownLatch newcomer = new CountDownLatch(1);
            two.submit(holder("newcomer", newcomer));
            await(newcomer);
            assertThat(order).containsExactly("first", "fresh", "newcomer", "ready");
            goOn.countDown();
            await(secondIsThere);
            two.tend();
            assertThat(two.queued()).isEqualTo(1);
            now.addAndGet(GuestQueue.REST_NANOS);
            two.tend();
            await(third);
        }
    }

    @Test
    void aProgramThatHadToBeEndedIsNoNewcomerTheNextTime() {
        assertThat(orderOf("other", "again")).containsExactly("again", "other");
        GuestScheduler.Task again = task("again", PROGRAM, _ -> {});
        scheduler.learn(again, new Outcome.TimedOut(Duration.ofSeconds(1), Outcome.Clock.WALL));
        assertThat(orderOf("other", "again")).containsExactly("other", "again");
        scheduler.learn(again, new Outcome.Exited(0));
        assertThat(orderOf("other", "again")).containsExactly("again", "other");
    }

    /// Two tasks in the order in which they come to a place for which both wait; `again` is the program.
    private List<String> orderOf(String... names) {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(names.length);
        scheduler.submit(task("before", _ -> {
            begun.countDown();
            await(goOn);
        }));
        await(begun);
        order.clear();
        for (String name : names) {
            int program = name.equals("again") ? PROGRAM : EndlessPrograms.UNKNOWN;
            scheduler.submit(task(name, program, _ -> done.countDown()));
        }
        goOn.countDown();
        await(done);
        return List.copyOf(order);
    }

    @Test
    void aGuestThatHasEndedIsNotPutBehind() {
        AtomicReference<GuestScheduler.Turn> ended = new AtomicReference<>();
        CountDownLatch first = new CountDownLatch(1);
        scheduler.submit(task("first", turn -> {
            ended.set(turn);
            first.countDown();
        }));
        await(first);
        occupy();
        ended.get().demote();
        ended.get().share();
        // The place is still the blocker's, and nobody computes behind all others.
        scheduler.submit(task("second", _ -> {}));
        assertThat(scheduler.queued()).isEqualTo(1);
        assertThat(scheduler.isCrowded()).isFalse();
    }
}
