package dev.glovebox.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GuestSchedulerTest {
    private final GuestScheduler scheduler = new GuestScheduler(1, 4, TimeUnit.SECONDS.toNanos(10));
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        scheduler.close();
    }

    private GuestScheduler.Task task(String name, Consumer<GuestScheduler.Turn> work) {
        return new GuestScheduler.Task() {
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
        scheduler.expire(System.nanoTime());
        assertThat(order).containsExactly("blocker");
        scheduler.expire(System.nanoTime() + TimeUnit.SECONDS.toNanos(11));
        assertThat(order).element(1).asString().startsWith("late refused: waited 10 s");
    }

    @Test
    void startsWithoutAPlaceWhatHasWaitedLong() {
        occupy();
        CountDownLatch done = new CountDownLatch(1);
        scheduler.submit(task("patient", _ -> done.countDown()));
        scheduler.expire(System.nanoTime() + 2 * GuestScheduler.BATCH_NANOS);
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
}
