package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkNamespace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/// The one process that starts every Linux sandbox of this server (`docs/supervisor.md`). When its standard input ends,
/// however this process ends, it kills all of them. Thread-safe.
final class Supervisor implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Supervisor.class.getName());
    private static final Duration READY_MAX = Duration.ofSeconds(10);
    private static final Duration END_MAX = Duration.ofSeconds(10);

    /// How the first process of a sandbox ended.
    ///
    /// @param how `exit`, `signal`, or `gone` if nobody knows
    /// @param number exit status or signal
    /// @param memoryKills how often the kernel killed in its control group for want of memory
    record Ended(String how, int number, long memoryKills) {
        private static final Ended UNKNOWN = new Ended("gone", 0, 0);

        String words() {
            if (memoryKills > 0) {
                return "it ran out of memory as a whole";
            }
            return how.equals("exit") ? "its first process ended with status " + number : "it was killed";
        }
    }

    /// What is told about one sandbox. Called on the supervisor's thread: returns at once.
    interface Events {
        /// Its first process runs what it was asked to run.
        default void started(Started what) {}

        /// A line of a command's standard error; printable, and bounded in length and number.
        default void logged(String line) {}

        /// A datagram that it sent found nobody.
        default void refusedDatagram(IpAddress address, int port) {}

        /// It did not start, or it ended; with the reason in words.
        void over(String why);
    }

    /// A sandbox that runs.
    ///
    /// @param pid of its first process
    /// @param network where arrives what it sends; empty if it was asked to have no network
    /// @param lanes what it shares with this process; empty if it has no agent
    record Started(long pid, Optional<NetworkNamespace> network, Optional<Lanes> lanes) {}

    private record Watch(Events events, CompletableFuture<Ended> end) {}

    private final Process process;
    private final OutputStream requests;
    private final Map<String, Watch> watches = new ConcurrentHashMap<>();
    private final CompletableFuture<String> ready = new CompletableFuture<>();

    /// Why sandboxes have no network here; empty if they have.
    private volatile String withoutNetwork = "";

    private Supervisor(Process process) {
        this.process = process;
        this.requests = process.getOutputStream();
    }

    /// Starts it and waits until it takes requests.
    ///
    /// @param program `glovebox-supervisor`
    /// @param agent `glovebox-agent`, which it starts in a jail
    /// @param directory where it mounts what only it and its children see; one per server
    /// @param instance names this server's control groups
    /// @throws GloveboxException TIER_UNAVAILABLE with what is missing
    static Supervisor start(Path program, Path agent, Path directory, String instance) {
        Supervisor supervisor = new Supervisor(SupervisorLauncher.launch(program, agent, directory, instance));
        Thread.ofPlatform().daemon().name("supervisor-events").start(supervisor::readEvents);
        supervisor.awaitReady();
        return supervisor;
    }

    private void awaitReady() {
        try {
            String trouble = ready.get(READY_MAX.toMillis(), TimeUnit.MILLISECONDS);
            if (!trouble.isEmpty()) {
                close();
                throw new GloveboxException(ErrorCode.TIER_UNAVAILABLE, trouble);
            }
        } catch (InterruptedException | ExecutionException | TimeoutException failure) {
            close();
            throw new GloveboxException(ErrorCode.TIER_UNAVAILABLE, "the supervisor does not answer", failure);
        }
    }

    /// Asks for a sandbox. Its agent's connection comes by itself, or the events tell why it does not.
    ///
    /// @return completes when all of it is gone
    CompletableFuture<Ended> start(StartRequest request, Events events) {
        Watch watch = new Watch(events, new CompletableFuture<>());
        watches.put(request.id(), watch);
        if (!send(request.line())) {
            forget(request.id(), Ended.UNKNOWN);
        }
        return watch.end;
    }

    /// Kills a sandbox; the future of its start completes when it is gone.
    void kill(String id) {
        if (!send("KILL\t" + id)) {
            forget(id, Ended.UNKNOWN);
        }
    }

    /// Changes limits of a sandbox that runs.
    void limit(String id, long memoryBytes, int cpuMillis) {
        send("LIMIT\t" + id + "\tmemory=" + memoryBytes + "\tcpu=" + cpuMillis);
    }

    /// Why sandboxes have no network here, in words; empty if they have.
    String withoutNetwork() {
        return withoutNetwork;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    private boolean send(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (requests) {
            try {
                requests.write(bytes);
                requests.flush();
                return true;
            } catch (IOException _) {
                return false;
            }
        }
    }

    private void readEvents() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                event(line.split("\t", -1));
            }
        } catch (IOException _) {
            // As good as its end.
        }
        ready.complete("the supervisor ended");
        watches.keySet().forEach(id -> forget(id, "the supervisor is gone", Ended.UNKNOWN));
    }

    private void event(String[] fields) {
        String id = fields.length > 1 ? fields[1] : "";
        switch (fields[0]) {
            case "READY" -> {
                withoutNetwork = fields[3];
                ready.complete("");
            }
            case "UNABLE" -> ready.complete(fields[2]);
            case "FAILED" -> forget(id, fields[2], Ended.UNKNOWN);
            case "ENDED" -> forget(id, new Ended(fields[2], Integer.parseInt(fields[3]), Long.parseLong(fields[4])));
            case "STARTED" ->
                tell(
                        id,
                        events -> events.started(new Started(
                                Long.parseLong(fields[2]),
                                network(fields[4], fields[5]),
                                lanes(fields[6], fields[7]))));
            case "DATAGRAM" ->
                IpAddress.parse(fields[2])
                        .ifPresent(address ->
                                tell(id, events -> events.refusedDatagram(address, Integer.parseInt(fields[3]))));
            case "LOG" -> tell(id, events -> events.logged(fields[2]));
            case "REFUSED" -> LOG.log(System.Logger.Level.WARNING, "supervisor: {0}", fields[2]);
            default -> {
                // LIMITED: nobody waits for it.
            }
        }
    }

    private Optional<NetworkNamespace> network(String descriptor, String cookie) {
        return descriptor.equals("-1")
                ? Optional.empty()
                : Optional.of(new NetworkNamespace(file(descriptor).toString(), Long.parseUnsignedLong(cookie)));
    }

    private Optional<Lanes> lanes(String descriptor, String inode) {
        return descriptor.equals("-1")
                ? Optional.empty()
                : Optional.of(new Lanes(file(descriptor), Long.parseUnsignedLong(inode)));
    }

    /// What the supervisor holds open.
    private Path file(String descriptor) {
        return Path.of("/proc/" + process.pid() + "/fd/" + descriptor);
    }

    private void tell(String id, Consumer<Events> what) {
        Watch watch = watches.get(id);
        if (watch != null) {
            what.accept(watch.events);
        }
    }

    private void forget(String id, Ended ended) {
        forget(id, ended.words(), ended);
    }

    private void forget(String id, String why, Ended ended) {
        Watch watch = watches.remove(id);
        if (watch != null) {
            watch.events.over(why);
            watch.end.complete(ended);
        }
    }

    /// Ends it with every sandbox. Idempotent.
    @Override
    public void close() {
        try {
            requests.close();
        } catch (IOException _) {
            // Then it has ended already.
        }
        try {
            if (!process.waitFor(END_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
