package dev.glovebox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Tier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Kills a server, its supervisor, or both, at random moments: whatever the sandboxes do, all of it is gone at
/// once, and the next start finds and removes what is left.
class LinuxReclaimIT {
    private static final int JAIL_ROUNDS = 80;
    private static final int GVISOR_ROUNDS = 20;
    private static final Duration GONE_MAX = Duration.ofMillis(250);
    /// On a machine whose processors are wanted by others a kill itself may have to wait.
    private static final Duration STOPPED_MAX = Duration.ofSeconds(1);

    /// The last one to go takes the template's mount down, with its cache: that can take longer on a busy machine, and
    /// nothing of the guest runs in it.
    private static final Duration TIDY_MAX = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long SEED = 4711;

    private enum Victim {
        SERVER,
        SUPERVISOR,
        BOTH
    }

    private final Random random = new Random(SEED);
    private final List<Long> stoppedMicros = new ArrayList<>();
    private final List<Long> goneMicros = new ArrayList<>();

    /// A process that runs [LinuxReclaimChild].
    private record Server(Process process, BufferedReader said) {
        static Server start(Path run, Tier tier) throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin/java").toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx128m",
                            "-Dglovebox.root=" + Tree.ROOT,
                            "-cp",
                            System.getProperty("java.class.path"),
                            LinuxReclaimChild.class.getName(),
                            Linux.distribution().toString(),
                            run.toString(),
                            tier.word())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Server(
                    process,
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        void go() throws IOException {
            OutputStream input = process.getOutputStream();
            input.write('\n');
            input.flush();
        }

        void awaitBusy() throws IOException {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.startsWith("BUSY")) {
                    return;
                }
            }
            throw new AssertionError("the server ended by itself");
        }
    }

    @Test
    void whatRanInJailsIsGoneAtOnceWhoeverIsKilled(@TempDir Path run) throws Exception {
        killAndLook(run, Tier.JAIL, JAIL_ROUNDS);
    }

    @Test
    void whatRanInGvisorIsGoneAtOnceWhoeverIsKilled(@TempDir Path run) throws Exception {
        killAndLook(run, Tier.GVISOR, GVISOR_ROUNDS);
    }

    private void killAndLook(Path run, Tier tier, int rounds) throws Exception {
        List<Path> groups = List.of();
        Server current = null;
        Server spare = Server.start(run, tier);
        try {
            for (int round = 0; round < rounds; round++) {
                if (current == null) {
                    current = spare;
                    current.go();
                    spare = Server.start(run, tier);
                }
                Victim victim = Victim.values()[random.nextInt(Victim.values().length)];
                // Now and then before anything of it runs, or while it is just being made.
                boolean early = victim != Victim.SUPERVISOR && random.nextInt(4) == 0;
                if (!early) {
                    current.awaitBusy();
                    assertNothingIsLeft(run, current, groups);
                }
                Thread.sleep(random.nextInt(early ? 700 : 60));
                groups = groupsOf(current.process.pid());
                kill(current, victim);
                if (victim != Victim.SUPERVISOR) {
                    current.process.waitFor();
                    current = null;
                }
            }
            report(tier);
        } finally {
            end(current);
            end(spare);
        }
        removedByAnybodyOfThisHome(run);
    }

    private static void end(@Nullable Server server) throws InterruptedException {
        if (server != null) {
            server.process.destroyForcibly().waitFor();
        }
    }

    private void kill(Server server, Victim victim) throws InterruptedException {
        Optional<ProcessHandle> supervisor = HostProcesses.supervisorOf(server.process.toHandle());
        long pid = supervisor.map(ProcessHandle::pid).orElse(-1L);
        if (victim != Victim.SERVER) {
            supervisor.ifPresent(ProcessHandle::destroyForcibly);
        }
        if (victim != Victim.SUPERVISOR) {
            server.process.destroyForcibly();
        }
        long begin = System.nanoTime();
        long stopped = -1;
        HostProcesses.Count left = remaining(pid, victim);
        while (left.there() > 0 && System.nanoTime() - begin < PATIENCE.toNanos()) {
            stopped = stopped < 0 && left.running() == 0 ? System.nanoTime() - begin : stopped;
            left = remaining(pid, victim);
        }
        long gone = System.nanoTime() - begin;
        assertThat(left.there())
                .as("processes that are left after the end of " + victim)
                .isZero();
        stoppedMicros.add((stopped < 0 ? gone : stopped) / 1_000);
        goneMicros.add(gone / 1_000);
    }

    /// If only the supervisor was killed the server begins again at once: what it starts then is not counted.
    private static HostProcesses.Count remaining(long supervisor, Victim victim) {
        HostProcesses.Count left = HostProcesses.ofSandboxes(supervisor);
        boolean isThere = victim == Victim.SERVER && supervisor > 0 && !HostProcesses.isGone(supervisor);
        return isThere ? new HostProcesses.Count(left.running(), left.there() + 1) : left;
    }

    private void report(Tier tier) {
        System.out.println(tier.word() + ": " + goneMicros.size() + " kills");
        print("no process runs any more", stoppedMicros);
        print("no process is there any more", goneMicros);
        assertThat(stoppedMicros.get(stoppedMicros.size() * 9 / 10))
                .as("microseconds, of nine in ten")
                .isLessThan(GONE_MAX.toNanos() / 1_000);
        assertThat(stoppedMicros.getLast()).as("microseconds").isLessThan(STOPPED_MAX.toNanos() / 1_000);
        assertThat(goneMicros.getLast()).as("microseconds").isLessThan(TIDY_MAX.toNanos() / 1_000);
    }

    private static void print(String what, List<Long> micros) {
        Collections.sort(micros);
        int size = micros.size();
        System.out.printf(
                "  %s after ms: p50 %.1f, p90 %.1f, p99 %.1f, max %.1f%n",
                what,
                micros.get(size / 2) / 1e3,
                micros.get(size * 9 / 10) / 1e3,
                micros.get(Math.min(size - 1, size * 99 / 100)) / 1e3,
                micros.getLast() / 1e3);
    }

    private static List<Path> groupRoots() throws IOException {
        List<Path> roots = new ArrayList<>(List.of(Path.of("/sys/fs/cgroup/glovebox")));
        try (DirectoryStream<Path> hierarchies = Files.newDirectoryStream(Path.of("/sys/fs/cgroup"))) {
            hierarchies.forEach(hierarchy -> roots.add(hierarchy.resolve("glovebox")));
        }
        roots.removeIf(root -> !Files.isDirectory(root));
        return roots;
    }

    /// The control groups of one server's sandboxes.
    private static List<Path> groupsOf(long server) throws IOException {
        List<Path> groups = new ArrayList<>();
        for (Path root : groupRoots()) {
            try (DirectoryStream<Path> instances = Files.newDirectoryStream(root, "*-" + server)) {
                for (Path instance : instances) {
                    try (Stream<Path> entries = Files.list(instance)) {
                        entries.filter(Files::isDirectory).forEach(groups::add);
                    }
                }
            }
        }
        return groups;
    }

    /// What was there when the last one was killed is not any more.
    private static void assertNothingIsLeft(Path run, Server current, List<Path> groups) throws IOException {
        assertThat(groups).filteredOn(Files::exists).as("control groups").isEmpty();
        assertThat(directories(run)).isSubsetOf("linux-" + current.process.pid());
        assertNoTraceInKernel(run);
    }

    private static List<String> directories(Path run) throws IOException {
        try (Stream<Path> entries = Files.list(run)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }

    private static void assertNoTraceInKernel(Path run) throws IOException {
        assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(run.toString());
        try (DirectoryStream<Path> loops = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
            for (Path loop : loops) {
                Path backing = loop.resolve("loop/backing_file");
                assertThat(Files.exists(backing) ? Files.readString(backing) : "")
                        .doesNotContain("glovebox", run.toString());
            }
        }
    }

    private static void removedByAnybodyOfThisHome(Path run) throws IOException {
        try (var backend = Linux.open(run)) {
            assertThat(backend.probe()).anyMatch(status -> status.available());
        }
        assertThat(directories(run)).isEmpty();
        assertNoTraceInKernel(run);
    }
}
