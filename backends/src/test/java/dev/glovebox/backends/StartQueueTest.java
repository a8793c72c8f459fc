package dev.glovebox.backends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StartQueueTest {
    private static final TenantId GREEDY = new TenantId("greedy");
    private static final TenantId MODEST = new TenantId("modest");
    private static final Duration LONG = Duration.ofSeconds(30);

    /// Who got a place, in order; each keeps it until it is let go.
    private final BlockingQueue<String> entered = new LinkedBlockingQueue<>();

    private Thread enter(StartQueue queue, TenantId tenant, BlockingQueue<Boolean> letGo) throws InterruptedException {
        int before = queue.waiting();
        Thread thread = Thread.ofVirtual().start(() -> {
            try (StartQueue.Place _ = queue.enter(tenant)) {
                entered.add(tenant.value());
                letGo.take();
            } catch (InterruptedException e) {
                entered.add("interrupted");
            } catch (GloveboxException e) {
                entered.add(e.code().word());
            }
        });
        while (queue.waiting() == before && entered.isEmpty()) {
            Thread.sleep(1);
        }
        return thread;
    }

    private String next() throws InterruptedException {
        return String.valueOf(entered.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void tenantsTakeTurns() throws InterruptedException {
        StartQueue queue = new StartQueue(1, 10, LONG);
        BlockingQueue<Boolean> letGo = new LinkedBlockingQueue<>();
        List<Thread> threads = new ArrayList<>();
        threads.add(enter(queue, GREEDY, letGo));
        assertThat(next()).isEqualTo("greedy");
        for (int i = 0; i < 3; i++) {
            threads.add(enter(queue, GREEDY, letGo));
        }
        threads.add(enter(queue, MODEST, letGo));
        threads.add(enter(queue, MODEST, letGo));
        assertThat(queue.waiting()).isEqualTo(5);
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            letGo.add(true);
            order.add(next());
        }
        letGo.add(true);
        assertThat(order).containsExactly("greedy", "modest", "greedy", "modest", "greedy");
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(queue.waiting()).isZero();
        try (StartQueue.Place _ = queue.enter(MODEST)) {
            assertThat(queue.waiting()).isZero();
        }
    }

    @Test
    void moreThanItsBoundDoNotWait() throws InterruptedException {
        StartQueue queue = new StartQueue(1, 1, LONG);
        BlockingQueue<Boolean> letGo = new LinkedBlockingQueue<>();
        enter(queue, GREEDY, letGo);
        next();
        Thread second = enter(queue, GREEDY, letGo);
        assertThatThrownBy(() -> queue.enter(MODEST))
                .isInstanceOfSatisfying(
                        GloveboxException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED))
                .hasMessageContaining("1 sandboxes wait");
        letGo.add(true);
        letGo.add(true);
        second.join();
    }

    @Test
    void nobodyWaitsForEver() throws InterruptedException {
        StartQueue queue = new StartQueue(1, 10, Duration.ofMillis(20));
        BlockingQueue<Boolean> letGo = new LinkedBlockingQueue<>();
        enter(queue, GREEDY, letGo);
        next();
        assertThatThrownBy(() -> queue.enter(MODEST)).hasMessageContaining("try again later");
        assertThat(queue.waiting()).isZero();
        letGo.add(true);
    }

    @Test
    void whoIsInterruptedLeavesTheLine() throws InterruptedException {
        StartQueue queue = new StartQueue(1, 10, LONG);
        BlockingQueue<Boolean> letGo = new LinkedBlockingQueue<>();
        enter(queue, GREEDY, letGo);
        next();
        Thread gone = enter(queue, MODEST, letGo);
        gone.interrupt();
        assertThat(next()).isEqualTo("interrupted");
        assertThat(queue.waiting()).isZero();
        Thread after = enter(queue, MODEST, letGo);
        letGo.add(true);
        assertThat(next()).isEqualTo("modest");
        letGo.add(true);
        after.join();
    }
}
