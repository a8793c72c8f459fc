package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.SandboxRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// How long the end of a sandbox takes while its guest is in an endless loop.
final class KillSection implements Section {
    private static final int TIMES = 40;
    private static final Duration RUN = Duration.ofMillis(60);
    private static final Duration GONE_MAX = Duration.ofSeconds(5);
    private static final long POLL_NANOS = Duration.ofNanos(200_000).toNanos();

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public String title() {
        return "DELETE of a sandbox that runs an endless loop: median";
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        int times = lab.times(TIMES);
        Figure bare = Figure.median(bareTerminations(times));
        row(lab.product(), sheet, "wasm", "python", Runs.PYTHON_ENDLESS, times, bare);
        row(lab.product(), sheet, "isolate", "javascript", "for (;;);", times, bare);
    }

    private static void row(
            Product product, Sheet sheet, String tier, String language, String code, int times, Figure bare)
            throws InterruptedException {
        Glovebox client = product.client();
        Stopwatch call = new Stopwatch();
        Stopwatch gone = new Stopwatch();
        for (int i = 0; i < times; i++) {
            Sandbox sandbox = client.sandboxes().create(new SandboxRequest(tier, language, null, null, null, null));
            Endless endless = Endless.start(sandbox, language, code);
            Thread.sleep(RUN);
            List<Processes.Task> guests = guests(product);
            long begun = System.nanoTime();
            sandbox.kill();
            call.add(System.nanoTime() - begun);
            awaitGone(guests, begun);
            gone.add(System.nanoTime() - begun);
            endless.awaitEnd();
        }
        sheet.add(tier + " " + language + ", call returns", Figure.median(call.samples()), bare, null);
        sheet.add(tier + " " + language + ", guest has stopped", Figure.median(gone.samples()), bare, null);
    }

    /// Threads of guests that are in the middle of something.
    private static List<Processes.Task> guests(Product product) {
        return product.cells().stream()
                .flatMap(cell -> Processes.tasks(cell).stream())
                .filter(task -> task.name().equals("guest") && task.running())
                .toList();
    }

    private static void awaitGone(List<Processes.Task> guests, long begun) {
        if (guests.isEmpty()) {
            throw new BenchException("no thread of a guest was seen to run");
        }
        while (guests.stream().anyMatch(Processes::isRunning)) {
            if (System.nanoTime() - begun > GONE_MAX.toNanos()) {
                throw new BenchException("a guest ran on for " + GONE_MAX.toSeconds() + " s after its sandbox's end");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /// From the request to stop to the end of the call, in bare V8.
    private static Samples bareTerminations(int times) throws InterruptedException {
        Stopwatch stopwatch = new Stopwatch();
        for (int i = 0; i < times; i++) {
            AtomicLong ended = new AtomicLong();
            CountDownLatch entered = new CountDownLatch(1);
            try (Bare bare = new Bare()) {
                Thread thread = Thread.ofPlatform().start(() -> {
                    entered.countDown();
                    try {
                        bare.evaluate("for (;;);");
                    } catch (BenchException e) {
                        ended.set(System.nanoTime());
                    }
                });
                entered.await();
                Thread.sleep(RUN);
                long begun = System.nanoTime();
                bare.terminate();
                thread.join();
                stopwatch.add(ended.get() - begun);
            }
        }
        return stopwatch.samples();
    }
}
