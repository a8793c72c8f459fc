package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Has the supervisor of this process: started when it is first needed, and anew if it ended. Thread-safe.
public final class Supervision implements AutoCloseable {
    private static final int NAME_CHARS = 8;

    private final Path distribution;
    private final Path runDirectory;
    private @Nullable Supervisor running;
    private boolean closed;

    /// @param distribution the built product, with `linux/glovebox-supervisor` and `linux/glovebox-agent`
    /// @param runDirectory for sockets and mounts; only this user may enter it
    public Supervision(Path distribution, Path runDirectory) {
        this.distribution = distribution;
        this.runDirectory = runDirectory;
    }

    /// What this machine lacks for a supervisor, in a sentence; empty if it lacks nothing.
    public String missing() {
        if (!Files.isExecutable(program()) || !Files.isExecutable(agent())) {
            return "the supervisor and the agent are not built: install gcc, make and libseccomp-dev, "
                    + "then './glovebox build'";
        }
        return isRoot() ? "" : "Linux sandboxes need the server to run as root";
    }

    private static boolean isRoot() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("Uid:"))
                    .anyMatch(line -> List.of(line.split("\\s+")).get(2).equals("0"));
        } catch (IOException _) {
            return false;
        }
    }

    private Path program() {
        return distribution.resolve("linux/glovebox-supervisor");
    }

    Path agent() {
        return distribution.resolve("linux/glovebox-agent");
    }

    /// Where this process keeps its sockets, and the supervisor what only it and its children see.
    Path directory() {
        return runDirectory.resolve("linux-" + ProcessHandle.current().pid());
    }

    /// The directory that the supervisor prepares beside a command, as the command sees it.
    Path scratch() {
        return directory().resolve("mnt/scratch");
    }

    /// The supervisor, which runs.
    ///
    /// @throws GloveboxException TIER_UNAVAILABLE with what is missing
    synchronized Supervisor get() {
        if (closed) {
            throw new GloveboxException(ErrorCode.OVERLOADED, "this server is stopping: try again when it is back");
        }
        Supervisor now = running;
        if (now == null || !now.isAlive()) {
            now = start();
            running = now;
        }
        return now;
    }

    private Supervisor start() {
        String missing = missing();
        if (!missing.isEmpty()) {
            throw new GloveboxException(ErrorCode.TIER_UNAVAILABLE, missing);
        }
        try {
            Leftovers.remove(runDirectory);
            Files.createDirectories(directory());
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "the directory of the Linux sandboxes cannot be made: " + failure.getMessage(),
                    failure);
        }
        return Supervisor.start(program(), agent(), directory(), instance());
    }

    /// The same first part for all processes of one home, so that one can clean up behind another that died.
    private String instance() {
        String home = runDirectory.toAbsolutePath().normalize().toString();
        String hash = "%08x".formatted(home.hashCode()).substring(0, NAME_CHARS);
        return hash + "-" + ProcessHandle.current().pid();
    }

    /// The supervisor's process, for tests of what follows its end; -1 if there is none.
    public synchronized long pid() {
        return running == null ? -1 : running.pid();
    }

    /// Ends the supervisor with everything that it started.
    @Override
    public void close() {
        Supervisor last;
        synchronized (this) {
            closed = true;
            last = running;
            running = null;
        }
        if (last != null) {
            last.close();
            Leftovers.delete(directory());
        }
    }
}
