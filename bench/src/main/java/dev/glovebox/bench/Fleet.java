package dev.glovebox.bench;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.sdk.TransportException;
import dev.glovebox.wire.api.SandboxRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/// Many sandboxes of one tier, held by several tenants in turn. Failures are counted, not thrown. Its methods are
/// called by one thread.
final class Fleet {
    private static final long LEASE_SECONDS = 3600;

    private final String tier;
    private final List<Glovebox> tenants;
    private final List<Sandbox> sandboxes = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> creations = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> kills = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicReference<String> firstFailure = new AtomicReference<>("");

    Fleet(String tier, List<Glovebox> tenants) {
        this.tier = tier;
        this.tenants = tenants;
    }

    void create(int count, int clients) throws InterruptedException {
        create(count, clients, () -> true);
    }

    /// Makes so many with so many clients at once, as long as it may go on.
    void create(int count, int clients, BooleanSupplier mayGoOn) throws InterruptedException {
        SandboxRequest request = new SandboxRequest(tier, "python", LEASE_SECONDS, null, null, null);
        inTurn(count, clients, index -> {
            if (!mayGoOn.getAsBoolean()) {
                return;
            }
            long begun = System.nanoTime();
            Sandbox made = tenants.get(index % tenants.size()).sandboxes().create(request);
            creations.add(System.nanoTime() - begun);
            sandboxes.add(made);
        });
    }

    void killAll(int clients) throws InterruptedException {
        List<Sandbox> all = sandboxes();
        sandboxes.clear();
        inTurn(all.size(), clients, index -> {
            long begun = System.nanoTime();
            all.get(index).kill();
            kills.add(System.nanoTime() - begun);
        });
    }

    private void inTurn(int count, int clients, IntConsumer action) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        CountDownLatch over = new CountDownLatch(clients);
        for (int i = 0; i < clients; i++) {
            Thread.ofVirtual().name("fleet-" + i).start(() -> {
                try {
                    for (int index = next.getAndIncrement(); index < count; index = next.getAndIncrement()) {
                        attempt(action, index);
                    }
                } finally {
                    over.countDown();
                }
            });
        }
        over.await();
    }

    private void attempt(IntConsumer action, int index) {
        try {
            action.accept(index);
        } catch (ApiException | TransportException e) {
            failure(String.valueOf(e.getMessage()));
        }
    }

    /// Counts one that happened outside.
    void failure(String message) {
        failures.incrementAndGet();
        firstFailure.compareAndSet("", message);
    }

    List<Sandbox> sandboxes() {
        synchronized (sandboxes) {
            return List.copyOf(sandboxes);
        }
    }

    Samples creations() {
        synchronized (creations) {
            return Samples.of(creations);
        }
    }

    Samples kills() {
        synchronized (kills) {
            return Samples.of(kills);
        }
    }

    int failures() {
        return failures.get();
    }

    String firstFailure() {
        return firstFailure.get();
    }
}
