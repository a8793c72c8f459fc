package dev.glovebox.bench;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.TransportException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Clients that do random things to a server. It begins paused. Thread-safe.
final class SoakLoad implements AutoCloseable {
    private static final int WORKERS = 6;
    private static final int MESSAGES_MAX = 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Thread> workers = new ArrayList<>();
    private final Map<String, AtomicInteger> done = new ConcurrentSkipListMap<>();
    private final Map<String, AtomicInteger> errors = new ConcurrentSkipListMap<>();
    private boolean paused = true;
    private boolean over;
    private int active;

    SoakLoad(List<Glovebox> clients, long seed) {
        for (int i = 0; i < WORKERS; i++) {
            Random random = new Random(seed * 1000 + i);
            Glovebox client = clients.get(i % clients.size());
            workers.add(Thread.ofVirtual().name("soak-" + i).start(() -> work(client, random)));
        }
    }

    private void work(Glovebox client, Random random) {
        SoakActions actions = new SoakActions(client, random);
        try {
            while (enter()) {
                try {
                    once(actions, random);
                } finally {
                    leave();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void once(SoakActions actions, Random random) throws InterruptedException {
        SoakActions.Action action = SoakActions.pick(random);
        try {
            action.step().act(actions);
        } catch (BenchException | ApiException | TransportException e) {
            String message = action.name() + ": " + e.getMessage();
            errors.computeIfAbsent(message, _ -> new AtomicInteger()).incrementAndGet();
        }
        done.computeIfAbsent(action.name(), _ -> new AtomicInteger()).incrementAndGet();
    }

    private boolean enter() throws InterruptedException {
        lock.lock();
        try {
            while (paused && !over) {
                changed.await();
            }
            if (!over) {
                active++;
            }
            return !over;
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            active--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void resume() {
        lock.lock();
        try {
            paused = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Returns when nothing is under way.
    void pause() throws InterruptedException {
        lock.lock();
        try {
            paused = true;
            while (active > 0) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    int errors() {
        return errors.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    String progress() {
        int count = done.values().stream().mapToInt(AtomicInteger::get).sum();
        return count + " actions, " + errors() + " errors";
    }

    void report(PrintStream out) {
        out.println();
        out.println(progress() + ": " + done);
        errors.entrySet().stream()
                .limit(MESSAGES_MAX)
                .forEach(entry -> out.println("ERROR, " + entry.getValue() + " times: " + entry.getKey()));
    }

    @Override
    public void close() {
        lock.lock();
        try {
            over = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            for (Thread worker : workers) {
                worker.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
