package dev.glovebox.conformance;

import dev.glovebox.sdk.Glovebox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A server that we start ourselves from `build/dist`, as `./glovebox serve` does, with a home of its own. It can be
/// stopped, killed and started again on the same home. Whoever starts it closes it.
public final class Server implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration STOP_MAX = Duration.ofSeconds(15);
    private static final long POLL_NANOS = Duration.ofMillis(5).toNanos();
    private static final Pattern ADDRESS = Pattern.compile("http://[0-9a-z.\\[\\]:]+:\\d+");
    private static final Pattern KEY = Pattern.compile("e2b_[0-9a-f]{40}");
    /// How `./glovebox serve` starts its JVM; `scripts/Assemble.java` wrote it.
    private static final String FLAGS = "server.flags";

    private final Path directory;
    private final Path dist;
    private int starts;
    private @Nullable Process process;
    private @Nullable URI address;
    private @Nullable String key;

    private Server(Path directory, Path dist) {
        this.directory = directory;
        this.dist = dist;
    }

    /// Starts one with an empty home.
    public static Server start() {
        Server server = new Server(temporary(), dist());
        try {
            server.restart();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /// Starts it again on the same home; it must not run.
    public void restart() {
        Path log = directory.resolve("serve-" + starts++ + ".log");
        try {
            ProcessBuilder builder = new ProcessBuilder(command("127.0.0.1:0"))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            builder.environment().put("GLOVEBOX_HOME", home().toString());
            Process started = builder.start();
            process = started;
            awaitReady(started, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// How a start that was to be refused ended.
    ///
    /// @param said on both streams
    public record Refused(int status, String said) {}

    /// Starts another server beside this one, which is to be refused, and waits for its end.
    ///
    /// @param home where it would keep its data
    /// @param listen host and port
    public Refused another(Path home, String listen) {
        Path log = directory.resolve("another.log");
        try {
            ProcessBuilder builder = new ProcessBuilder(command(listen))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            builder.environment().put("GLOVEBOX_HOME", home.toString());
            Process started = builder.start();
            return new Refused(await(started), Files.readString(log));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> command(String listen) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + dist.resolve(FLAGS),
                "dev.glovebox.cli.Main",
                "serve",
                "--listen",
                listen);
    }

    private void awaitReady(Process started, Path log) throws IOException {
        long begun = System.nanoTime();
        while (started.isAlive() && System.nanoTime() - begun < START_MAX.toNanos()) {
            String text = Files.readString(log);
            String where = find(ADDRESS, text);
            key = key == null ? find(KEY, text) : key;
            if (where != null && key != null) {
                address = URI.create(where);
                try (Glovebox probe = connect()) {
                    if (probe.isReady()) {
                        return;
                    }
                }
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        throw new IllegalStateException("the server did not start: " + Files.readString(log));
    }

    private static @Nullable String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group() : null;
    }

    /// What it has written since its last start.
    public String log() {
        try {
            return Files.readString(directory.resolve("serve-" + (starts - 1) + ".log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Where it answers, with the key that its first start has printed.
    public Target target() {
        URI where = address;
        String secret = key;
        if (where == null || secret == null) {
            throw new IllegalStateException("the server has not been started");
        }
        return new Target(where, secret);
    }

    /// A client with the administrator's key; the caller closes it.
    public Glovebox connect() {
        return target().connect();
    }

    public Path home() {
        return directory.resolve("home");
    }

    public ProcessHandle process() {
        return running().toHandle();
    }

    /// Its worker processes.
    public List<ProcessHandle> cells() {
        return running().descendants().toList();
    }

    private Process running() {
        Process current = process;
        if (current == null) {
            throw new IllegalStateException("the server has not been started");
        }
        return current;
    }

    /// Ends it as an operator does, and returns its exit status.
    public int stop() {
        Process current = running();
        current.destroy();
        return await(current);
    }

    /// Ends it without a warning.
    public void kill() {
        Process current = running();
        current.destroyForcibly();
        await(current);
    }

    private static int await(Process ending) {
        try {
            if (!ending.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)) {
                ending.destroyForcibly().waitFor();
                throw new IllegalStateException("the server did not stop within " + STOP_MAX.toSeconds() + " s");
            }
            return ending.exitValue();
        } catch (InterruptedException e) {
            ending.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        Process current = process;
        if (current != null && current.isAlive()) {
            current.destroy();
            await(current);
        }
        deleteTree(directory);
    }

    private static Path dist() {
        String dist = System.getProperty("glovebox.dist", "");
        String root = System.getProperty("glovebox.root", "");
        Path path = dist.isEmpty() ? Path.of(root).resolve("build/dist") : Path.of(dist);
        if (!Files.exists(path.resolve(FLAGS))) {
            throw new IllegalStateException("there is no built product in " + path.toAbsolutePath()
                    + ": run './glovebox build', or name a running server by -Dglovebox.url and -Dglovebox.key");
        }
        return path.toAbsolutePath().normalize();
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("glovebox-conformance");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void deleteTree(Path tree) {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
