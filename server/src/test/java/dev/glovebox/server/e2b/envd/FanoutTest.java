package dev.glovebox.server.e2b.envd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.core.Limits;
import dev.glovebox.wire.e2b.ProcessEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class FanoutTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final ProcessEvent.Ended END =
            new ProcessEvent.Ended(new ProcessEnd(0, true, "exit status 0", null), false);
    private static final int CHUNK = 1000;

    private static Fanout fanout(int backlog, int lag, Duration grace, Duration stall) {
        return new Fanout(new Fanout.Limit(backlog, lag, grace, stall), new Backlogs());
    }

    private static ProcessEvent.Output output(int number) {
        byte[] bytes = new byte[CHUNK];
        bytes[0] = (byte) number;
        return new ProcessEvent.Output(false, bytes);
    }

    private static CompletableFuture<Void> flood(Fanout fanout, int chunks) {
        return CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < chunks; i++) {
                        fanout.publish(output(i));
                    }
                    fanout.finish(END);
                },
                command -> Thread.ofVirtual().start(command));
    }

    private static List<ProcessEvent> all(Fanout.Reader reader, Duration pause) throws InterruptedException {
        List<ProcessEvent> events = new ArrayList<>();
        while (true) {
            ProcessEvent event = reader.next(SOON).orElseThrow();
            events.add(event);
            if (event instanceof ProcessEvent.Ended) {
                return events;
            }
            Thread.sleep(pause);
        }
    }

    @Test
    void whatNobodyReadsIsThrownAway() throws Exception {
        Fanout fanout = fanout(1, 1, Duration.ZERO, Duration.ofHours(1));
        flood(fanout, 10_000).get(20, TimeUnit.SECONDS);
        try (Fanout.Reader late = fanout.subscribe()) {
            assertThat(late.next(SOON)).contains(END);
            assertThat(late.next(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void oneWhoComesLateIsToldTheStartFirst() throws Exception {
        Fanout fanout = fanout(100_000, 100_000, Duration.ZERO, Duration.ofHours(1));
        fanout.start(new ProcessEvent.Started(42));
        fanout.publish(output(1));
        try (Fanout.Reader reader = fanout.subscribe()) {
            fanout.publish(output(2));
            fanout.finish(END);
            assertThat(reader.next(SOON)).contains(new ProcessEvent.Started(42));
            assertThat(reader.next(SOON).orElseThrow())
                    .isInstanceOfSatisfying(
                            ProcessEvent.Output.class,
                            output -> assertThat(output.bytes()[0]).isEqualTo((byte) 2));
            assertThat(reader.next(SOON)).contains(END);
        }
        try (Fanout.Reader after = fanout.subscribe()) {
            assertThat(after.next(SOON)).contains(new ProcessEvent.Started(42));
            assertThat(after.next(SOON)).contains(END);
        }
    }

    @Test
    void aSingleSlowReaderHoldsTheProcessBackAndLosesNothing() throws Exception {
        Fanout fanout = fanout(5 * CHUNK, 10 * CHUNK, Duration.ofMillis(1), Duration.ofSeconds(20));
        try (Fanout.Reader reader = fanout.subscribe()) {
            CompletableFuture<Void> process = flood(fanout, 60);
            Thread.sleep(100);
            assertThat(process).isNotDone();
            assertThat(all(reader, Duration.ofMillis(2))).hasSize(61);
            process.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void aReaderThatTakesNothingIsDroppedAndTheProcessGoesOn() throws Exception {
        Fanout fanout = fanout(5 * CHUNK, 10 * CHUNK, Duration.ofMillis(1), Duration.ofMillis(200));
        try (Fanout.Reader stuck = fanout.subscribe()) {
            flood(fanout, 10_000).get(20, TimeUnit.SECONDS);
            assertThatThrownBy(() -> stuck.next(SOON))
                    .isInstanceOfSatisfying(
                            ConnectFailure.class,
                            failure -> assertThat(failure.code()).isEqualTo(ConnectCode.RESOURCE_EXHAUSTED))
                    .hasMessageContaining("output was lost");
        }
    }

    @Test
    void aStuckReaderDoesNotStopAnother() throws Exception {
        Fanout fanout = fanout(5 * CHUNK, 10 * CHUNK, Duration.ofMillis(100), Duration.ofHours(1));
        try (Fanout.Reader stuck = fanout.subscribe();
                Fanout.Reader fast = fanout.subscribe()) {
            CompletableFuture<Void> process = flood(fanout, 10_000);
            assertThat(all(fast, Duration.ZERO)).hasSize(10_001);
            process.get(20, TimeUnit.SECONDS);
            assertThatThrownBy(() -> stuck.next(SOON)).isInstanceOf(ConnectFailure.class);
        }
    }

    @Test
    void readersOfOnePaceAreAllServed() throws Exception {
        Fanout fanout = fanout(5 * CHUNK, 10 * CHUNK, Duration.ofSeconds(20), Duration.ofHours(1));
        List<CompletableFuture<Integer>> counts = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Fanout.Reader reader = fanout.subscribe();
            counts.add(CompletableFuture.supplyAsync(
                    () -> {
                        try (reader) {
                            return all(reader, Duration.ZERO).size();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    command -> Thread.ofVirtual().start(command)));
        }
        flood(fanout, 5_000).get(25, TimeUnit.SECONDS);
        for (CompletableFuture<Integer> count : counts) {
            assertThat(count.get(20, TimeUnit.SECONDS)).isEqualTo(5_001);
        }
    }

    @Test
    void oneWhoLeavesIsNotWaitedFor() throws Exception {
        Fanout fanout = fanout(CHUNK, CHUNK, Duration.ofHours(1), Duration.ofHours(1));
        Fanout.Reader reader = fanout.subscribe();
        CompletableFuture<Void> process = flood(fanout, 1000);
        Thread.sleep(50);
        assertThat(process).isNotDone();
        reader.close();
        process.get(20, TimeUnit.SECONDS);
    }

    @Test
    void whereMuchWaitsEachProcessWaitsSooner() throws Exception {
        Backlogs backlogs = new Backlogs(20L * CHUNK);
        Fanout.Limit limit = new Fanout.Limit(32 * CHUNK, 64 * CHUNK, Duration.ofHours(1), Duration.ofHours(1));
        Fanout first = new Fanout(limit, backlogs);
        Fanout second = new Fanout(limit, backlogs);
        try (Fanout.Reader one = first.subscribe();
                Fanout.Reader other = second.subscribe()) {
            CompletableFuture<Void> large = flood(first, 100);
            Thread.sleep(100);
            assertThat(large).isNotDone();
            CompletableFuture<Void> small = flood(second, 10);
            Thread.sleep(100);
            assertThat(small).isNotDone();
            assertThat(all(other, Duration.ZERO)).hasSize(11);
            assertThat(all(one, Duration.ZERO)).hasSize(101);
            large.get(20, TimeUnit.SECONDS);
            small.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void silenceIsTold() throws Exception {
        Fanout fanout = fanout(CHUNK, CHUNK, Duration.ZERO, Duration.ZERO);
        try (Fanout.Reader reader = fanout.subscribe()) {
            assertThat(reader.next(Duration.ofMillis(5))).isEqualTo(Optional.empty());
        }
    }

    @Test
    void readersHaveABound() {
        Fanout fanout = fanout(CHUNK, CHUNK, Duration.ZERO, Duration.ZERO);
        for (int i = 0; i < Limits.PROCESS_READERS_MAX; i++) {
            fanout.subscribe();
        }
        assertThatThrownBy(fanout::subscribe).hasMessageContaining("its bound");
    }
}
