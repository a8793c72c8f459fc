package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.RunRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/// Runs per second with several clients at once, and what they cost.
final class ThroughputSection implements Section {
    private static final List<Integer> CLIENTS = List.of(1, 4, 16);
    private static final Duration TIME = Duration.ofSeconds(8);
    private static final Duration TIME_QUICK = Duration.ofSeconds(2);
    private static final Duration WARM_UP_TIME = Duration.ofSeconds(4);
    private static final int WARM_UP_CLIENTS = 4;
    private static final double PYTHON_MIN = 300;

    @Override
    public String name() {
        return "throughput";
    }

    @Override
    public String title() {
        return "answers per second, beside GET /readyz with as many clients";
    }

    /// What a number of clients got done.
    private record Result(double perSecond, Samples latency, int errors, String firstError, String cost) {
        Figure figure() {
            String failed = errors == 0 ? "no error" : errors + " errors, the first: " + firstError;
            return new Figure(
                    perSecond,
                    "/s",
                    failed + "; p50 " + Figure.number(latency.median()) + ", p99 "
                            + Figure.number(latency.percentile(99)) + " ms" + cost);
        }
    }

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        Duration time = lab.isQuick() ? TIME_QUICK : TIME;
        Product product = lab.product();
        Glovebox client = product.client();
        RunRequest python = Runs.python("print(1+1)");
        RunRequest isolate = Runs.javaScript("isolate", "console.log(1+1)");
        drive(product, WARM_UP_CLIENTS, WARM_UP_TIME, () -> Runs.expect(client.run(python), Runs.SUM));
        drive(product, WARM_UP_CLIENTS, WARM_UP_TIME, () -> Runs.expect(client.run(isolate), Runs.SUM));
        for (int clients : CLIENTS) {
            Result floor = drive(product, clients, time, client::isReady);
            Result result = drive(product, clients, time, () -> Runs.expect(client.run(python), Runs.SUM));
            Target target = clients == 16 ? Target.atLeast(PYTHON_MIN) : null;
            sheet.add("wasm python, " + clients + " clients", result.figure(), floor.figure(), target);
            if (result.errors > 0) {
                sheet.failure(result.errors + " runs with " + clients + " clients: " + result.firstError);
            }
            Result second = drive(product, clients, time, () -> Runs.expect(client.run(isolate), Runs.SUM));
            sheet.add("isolate javascript, " + clients + " clients", second.figure(), floor.figure(), null);
            if (second.errors > 0) {
                sheet.failure(second.errors + " runs with " + clients + " clients: " + second.firstError);
            }
        }
    }

    private static Result drive(Product product, int clients, Duration time, Runnable action)
            throws InterruptedException {
        AtomicInteger errors = new AtomicInteger();
        AtomicReference<String> firstError = new AtomicReference<>("");
        List<Stopwatch> stopwatches = new ArrayList<>();
        CountDownLatch over = new CountDownLatch(clients);
        Cost before = Cost.now(product);
        long begun = System.nanoTime();
        long end = begun + time.toNanos();
        for (int i = 0; i < clients; i++) {
            Stopwatch stopwatch = new Stopwatch();
            stopwatches.add(stopwatch);
            Thread.ofVirtual().name("client-" + i).start(() -> {
                while (System.nanoTime() < end) {
                    try {
                        stopwatch.time(action);
                    } catch (RuntimeException e) {
                        errors.incrementAndGet();
                        firstError.compareAndSet("", String.valueOf(e.getMessage()));
                    }
                }
                over.countDown();
            });
        }
        over.await();
        double seconds = (System.nanoTime() - begun) / 1e9;
        List<Long> all = new ArrayList<>();
        stopwatches.forEach(stopwatch -> all.addAll(stopwatch.nanos()));
        String cost = Cost.now(product).since(before, all.size());
        return new Result(all.size() / seconds, Samples.of(all), errors.get(), firstError.get(), cost);
    }

    /// Processor time used up to now.
    private record Cost(long serverMillis, long cellMillis, long clientMillis) {
        static Cost now(Product product) {
            long cells =
                    product.cells().stream().mapToLong(Processes::cpuMillis).sum();
            return new Cost(
                    Processes.cpuMillis(product.pid()),
                    cells,
                    Processes.cpuMillis(ProcessHandle.current().pid()));
        }

        String since(Cost before, int answers) {
            double count = Math.max(1, answers);
            return "; cpu ms each: server " + Figure.number((serverMillis - before.serverMillis) / count) + ", cells "
                    + Figure.number((cellMillis - before.cellMillis) / count) + ", client "
                    + Figure.number((clientMillis - before.clientMillis) / count);
        }
    }
}
