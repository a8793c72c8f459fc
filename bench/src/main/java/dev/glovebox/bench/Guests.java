package dev.glovebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// What the machine holds for the Linux sandboxes of a server: control groups, processes, and mounts that the
/// supervisor sees.
///
/// @param groups their directories, in all hierarchies
record Guests(Set<Path> groups, Set<Long> processes, int mounts) {
    private static final Path CGROUP = Path.of("/sys/fs/cgroup");
    private static final String SUPERVISOR = "glovebox-superv";
    private static final Duration QUIET_TIME = Duration.ofMillis(200);
    private static final Duration QUIET_MAX = Duration.ofSeconds(30);
    /// Of processor time within that time: what sandboxes may use that have nothing to do.
    private static final long QUIET_CPU_MILLIS = 20;

    private static final Duration GONE_MAX = Duration.ofSeconds(10);
    private static final long POLL_NANOS = Duration.ofNanos(500_000).toNanos();

    static Guests of(Product product) {
        int mounts = supervisor(product).map(Processes::mounts).orElse(0);
        return new Guests(groups(product), new HashSet<>(product.cells()), mounts);
    }

    private static Optional<Long> supervisor(Product product) {
        return product.cells().stream()
                .filter(pid -> Processes.name(pid).equals(SUPERVISOR))
                .findFirst();
    }

    /// The groups of version 1 are one level deeper than those of version 2.
    private static Set<Path> groups(Product product) {
        Set<Path> groups = new HashSet<>();
        Stream.concat(Stream.of(CGROUP), directories(CGROUP).stream())
                .map(mount -> mount.resolve("glovebox"))
                .flatMap(parent -> directories(parent).stream())
                .filter(instance -> instance.getFileName().toString().endsWith("-" + product.pid()))
                .forEach(instance -> groups.addAll(directories(instance)));
        return groups;
    }

    private static List<Path> directories(Path parent) {
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /// What has come since then.
    Guests since(Guests before) {
        Set<Path> newGroups = new HashSet<>(groups);
        newGroups.removeAll(before.groups);
        Set<Long> newProcesses = new HashSet<>(processes);
        newProcesses.removeAll(before.processes);
        return new Guests(newGroups, newProcesses, mounts - before.mounts);
    }

    /// Whether all of them belong to one sandbox, and there is one.
    boolean isOne() {
        return groups.stream().map(Path::getFileName).distinct().count() == 1 && !processes.isEmpty();
    }

    /// Waits until all of its groups and processes are gone; how many mounts are, see [#of].
    void awaitGone() {
        long begun = System.nanoTime();
        while (groups.stream().anyMatch(Files::exists) || processes.stream().anyMatch(Processes::exists)) {
            if (System.nanoTime() - begun > GONE_MAX.toNanos()) {
                throw new BenchException(
                        "groups or processes were left " + GONE_MAX.toSeconds() + " s after their sandbox's end");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /// Waits until nothing is being started or ended, so that what is kept ready is ready.
    static void awaitQuiet(Product product) throws InterruptedException {
        long begun = System.nanoTime();
        List<Long> before;
        List<Long> after = product.cells();
        long cpuBefore;
        long cpuAfter = Processes.cpuMillis(after);
        do {
            before = after;
            cpuBefore = cpuAfter;
            Thread.sleep(QUIET_TIME);
            after = product.cells();
            cpuAfter = Processes.cpuMillis(after);
        } while ((!after.equals(before) || cpuAfter - cpuBefore > QUIET_CPU_MILLIS)
                && System.nanoTime() - begun < QUIET_MAX.toNanos());
    }

    /// How gVisor intercepts system calls here, as the product found out.
    static String gvisorPlatform(Product product) {
        return product.cells().stream()
                .flatMap(pid -> Processes.arguments(pid).stream())
                .filter(word -> word.startsWith("--platform="))
                .map(word -> word.substring(word.indexOf('=') + 1))
                .findFirst()
                .orElse("systrap");
    }
}
