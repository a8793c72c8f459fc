package dev.glovebox.bench;

import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.Glovebox;
import dev.glovebox.sdk.Sandbox;
import dev.glovebox.sdk.TransportException;
import dev.glovebox.wire.api.CommandRequest;
import dev.glovebox.wire.api.ExecutionResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// How many Linux sandboxes the machine holds, while a few of them work. Must be asked for by name: it fills the
/// machine.
final class DensitySection implements Section {
    private static final double MIB = 1024.0 * 1024;
    private static final int TENANT_SANDBOXES = 200;
    private static final int QUICK_DIVISOR = 10;
    private static final int CLIENTS = 4;
    private static final Duration HOLD = Duration.ofMinutes(5);
    private static final Duration HOLD_QUICK = Duration.ofSeconds(20);
    /// Of each hundred, one works.
    private static final int IDLE_FOR_EACH = 100;
    /// Each of those that work runs one command in this time, then it is the next one's turn.
    private static final Duration TURN = Duration.ofSeconds(1);

    private static final int WORKERS_MAX = 64;
    /// No sandbox is made when the machine has less than this left.
    private static final double AVAILABLE_MIN_MIB = 1536;

    private static final CommandRequest WORK =
            CommandRequest.ofArguments(List.of("sh", "-c", "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; echo $i"));
    private static final String WORK_OUTPUT = "1000\n";

    @Override
    public String name() {
        return "density";
    }

    @Override
    public String title() {
        return "sandboxes held at once, one in a hundred working";
    }

    @Override
    public boolean isPartOfAll() {
        return false;
    }

    /// What is asked of a tier.
    private record Case(String tier, int count, @Nullable Target memory) {}

    @Override
    public void measure(Lab lab, Sheet sheet) throws InterruptedException {
        String missing = Linux.missing(lab.distribution());
        if (!missing.isEmpty()) {
            sheet.note("left out: " + missing);
            return;
        }
        Linux here = Linux.find(lab.distribution());
        for (Case one : List.of(new Case("jail", 1000, Target.atMost(3)), new Case("gvisor", 300, null))) {
            try (Product product = Product.start(lab.distribution(), Product.Setting.linux(here.templates()))) {
                Optional<String> lacking = LinuxSection.lacking(product, here, one.tier);
                if (lacking.isPresent()) {
                    sheet.note(one.tier + " is left out: " + lacking.get());
                } else {
                    tier(product, one, lab.isQuick(), sheet);
                }
            }
        }
    }

    private static void tier(Product product, Case one, boolean quick, Sheet sheet) throws InterruptedException {
        int count = quick ? one.count / QUICK_DIVISOR : one.count;
        List<Glovebox> tenants = new ArrayList<>();
        try {
            for (int i = 0; i * TENANT_SANDBOXES < count; i++) {
                tenants.add(product.tenant(one.tier + "-" + i));
            }
            Fleet fleet = new Fleet(one.tier, tenants);
            try {
                hold(product, one, fleet, count, quick ? HOLD_QUICK : HOLD, sheet);
                requireAll(one, fleet, tenants, sheet);
            } finally {
                end(product, one, fleet, sheet);
            }
        } catch (RuntimeException e) {
            sheet.failure(one.tier + ": " + e.getMessage());
            product.lastWords().forEach(line -> sheet.note("the server said: " + line));
        } finally {
            tenants.forEach(Glovebox::close);
        }
    }

    /// Memory in use.
    ///
    /// @param guests PSS of the supervisor and all that it started
    /// @param server PSS of the server
    /// @param available what the machine has left
    private record Use(long guests, long server, long available) {
        static Use of(Product product) {
            return new Use(
                    Processes.memory(product.cells()).proportionalBytes(),
                    Processes.memory(product.pid()).proportionalBytes(),
                    Processes.availableBytes());
        }
    }

    private static void hold(Product product, Case one, Fleet fleet, int count, Duration time, Sheet sheet)
            throws InterruptedException {
        Guests.awaitQuiet(product);
        Use before = Use.of(product);
        long begun = System.nanoTime();
        fleet.create(count, CLIENTS, () -> Processes.availableBytes() / MIB > AVAILABLE_MIN_MIB);
        double seconds = (System.nanoTime() - begun) / 1e9;
        int held = fleet.sandboxes().size();
        if (held == 0) {
            throw new BenchException("no sandbox could be made: " + fleet.firstFailure());
        }
        if (held + fleet.failures() < count) {
            sheet.note("ended at " + held + " of " + count + ", because the machine had less than "
                    + Figure.number(AVAILABLE_MIN_MIB) + " MiB left");
        }
        sheet.add(one.tier + " created", new Figure(held, "", failures(fleet)), null, Target.atLeast(count));
        sheet.add(
                one.tier + ", time to create all",
                new Figure(
                        seconds,
                        "s",
                        CLIENTS + " clients; each "
                                + Figure.median(fleet.creations()).text() + ", "
                                + fleet.creations().tail()),
                null,
                null);
        Guests.awaitQuiet(product);
        Use after = Use.of(product);
        double each = (after.guests - before.guests) / MIB / held;
        String detail =
                "PSS of all their processes; beside it the server " + mebibytes(after.server - before.server, held)
                        + "; the whole machine has " + mebibytes(before.available - after.available, held) + " less";
        sheet.add(one.tier + ", memory of each", new Figure(each, "MiB", detail), null, one.memory);
        work(product, one, fleet, time, sheet);
    }

    private static String mebibytes(long bytes, int held) {
        return Figure.number(bytes / MIB / held) + " MiB each";
    }

    private static String failures(Fleet fleet) {
        return fleet.failures() == 0
                ? "no failure"
                : fleet.failures() + " failures, the first: " + fleet.firstFailure();
    }

    /// Lets one in a hundred work, each time another one.
    private static void work(Product product, Case one, Fleet fleet, Duration time, Sheet sheet)
            throws InterruptedException {
        List<Sandbox> sandboxes = fleet.sandboxes();
        int working = Math.max(1, sandboxes.size() / IDLE_FOR_EACH);
        List<Long> took = Collections.synchronizedList(new ArrayList<>());
        int failedBefore = fleet.failures();
        Semaphore places = new Semaphore(WORKERS_MAX);
        Processes.Machine machine = Processes.machine();
        List<Long> processes = product.cells();
        long guestsCpu = Processes.cpuMillis(processes);
        long serverCpu = Processes.cpuMillis(product.pid());
        long begun = System.nanoTime();
        int next = 0;
        for (long turn = 0; turn * TURN.toNanos() < time.toNanos(); turn++) {
            for (int i = 0; i < working; i++) {
                Sandbox sandbox = sandboxes.get(next % sandboxes.size());
                next++;
                places.acquire();
                Thread.ofVirtual().name("work-" + next).start(() -> {
                    try {
                        took.add(work(sandbox));
                    } catch (BenchException | ApiException | TransportException e) {
                        fleet.failure(String.valueOf(e.getMessage()));
                    } finally {
                        places.release();
                    }
                });
            }
            long left = begun + (turn + 1) * TURN.toNanos() - System.nanoTime();
            if (left > 0) {
                Thread.sleep(Duration.ofNanos(left));
            }
        }
        places.acquire(WORKERS_MAX);
        double seconds = (System.nanoTime() - begun) / 1e9;
        double idle = Processes.machine().idleSince(machine) * 100;
        double guests = (Processes.cpuMillis(processes) - guestsCpu) / 10.0 / seconds;
        double server = (Processes.cpuMillis(product.pid()) - serverCpu) / 10.0 / seconds;
        String cost = "of all processors, " + time.toSeconds() + " s; of one: their processes " + Figure.number(guests)
                + " %, the server " + Figure.number(server) + " %";
        sheet.add(one.tier + ", idle meanwhile", new Figure(idle, "%", cost), null, null);
        Samples samples;
        synchronized (took) {
            samples = Samples.of(took);
        }
        String detail = samples.tail() + "; " + working + " a second, "
                + (fleet.failures() == failedBefore ? "none failed" : failures(fleet));
        sheet.add(one.tier + ", a command meanwhile", Figure.millis(samples.median(), detail), null, null);
    }

    private static long work(Sandbox sandbox) {
        long begun = System.nanoTime();
        ExecutionResponse answer = LinuxCase.expectEnd(sandbox.run(WORK));
        long took = System.nanoTime() - begun;
        if (!answer.stdout().equals(WORK_OUTPUT)) {
            throw new BenchException("a command printed something else than it must");
        }
        return took;
    }

    /// All must still be there.
    private static void requireAll(Case one, Fleet fleet, List<Glovebox> tenants, Sheet sheet) {
        long alive = tenants.stream()
                .flatMap(tenant -> tenant.sandboxes().all(Map.of()).stream())
                .filter(sandbox -> sandbox.state().equals("running"))
                .count();
        int held = fleet.sandboxes().size();
        sheet.add(
                one.tier + ", alive at the end",
                new Figure(alive, "", "of " + held + "; " + failures(fleet)),
                null,
                Target.atLeast(held));
    }

    private static void end(Product product, Case one, Fleet fleet, Sheet sheet) throws InterruptedException {
        int held = fleet.sandboxes().size();
        int failedBefore = fleet.failures();
        long begun = System.nanoTime();
        fleet.killAll(CLIENTS);
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (held == 0) {
            return;
        }
        String detail = held + " by " + CLIENTS + " clients; each "
                + Figure.median(fleet.kills()).text() + ", " + fleet.kills().tail()
                + (fleet.failures() == failedBefore ? "" : "; " + failures(fleet));
        sheet.add(one.tier + ", time to kill all", new Figure(seconds, "s", detail), null, null);
        Guests.awaitQuiet(product);
    }
}
