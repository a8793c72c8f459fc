package dev.glovebox.bench;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.KeyRequest;
import dev.glovebox.wire.api.KeyResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A server as a user has it: what `./glovebox serve` starts once nothing is left to build, on a loopback port, with a
/// home of its own. Ended by its process id when this is closed, and its home removed.
final class Product implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration STOP_MAX = Duration.ofSeconds(15);
    private static final long POLL_NANOS = Duration.ofMillis(1).toNanos();
    private static final int LAST_WORDS = 8;
    private static final Pattern ADDRESS = Pattern.compile("http://[0-9a-z.\\[\\]:]+:\\d+");
    private static final Pattern KEY = Pattern.compile("e2b_[0-9a-f]{40}");

    private final Process process;
    private final Path home;
    private final URI address;
    private final String key;
    private final Glovebox client;
    private final Duration startTook;

    private Product(Process process, Path home, URI address, String key, Duration startTook) {
        this.process = process;
        this.home = home;
        this.address = address;
        this.key = key;
        this.client = Glovebox.connect(address, key);
        this.startTook = startTook;
    }

    /// @param jvmOptions added to those of `./glovebox serve`
    /// @param serveOptions those of the verb itself
    /// @param templates a directory of templates that the home is to have as its own; null: none
    record Setting(
            List<String> jvmOptions,
            List<String> serveOptions,
            @Nullable Path templates) {
        static final Setting DEFAULT = new Setting(List.of(), List.of(), null);
        /// Without the cache of classes.
        static final Setting COLD = new Setting(List.of("-XX:AOTMode=off"), List.of(), null);

        /// With both tiers of Linux sandboxes.
        static Setting linux(Path templates) {
            return new Setting(List.of(), List.of("--allow-jail"), templates);
        }
    }

    /// Starts one and waits until it takes requests.
    static Product start(Distribution distribution, Setting setting) {
        Path home = TemporaryTree.create("glovebox-bench");
        Path log = home.resolve("serve.log");
        List<String> command = new ArrayList<>();
        command.add(Distribution.java().toString());
        command.add("@" + distribution.dist().resolve("server.flags"));
        command.addAll(setting.jvmOptions());
        command.addAll(List.of("dev.glovebox.cli.Main", "serve", "--listen", "127.0.0.1:0"));
        command.addAll(setting.serveOptions());
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("GLOVEBOX_HOME", home.resolve("home").toString());
        long begun = System.nanoTime();
        Process process = null;
        try {
            if (setting.templates() != null) {
                Files.createDirectories(home.resolve("home"));
                Files.createSymbolicLink(home.resolve("home/templates"), setting.templates());
            }
            process = builder.start();
            return awaitReady(process, home, log, begun);
        } catch (IOException | RuntimeException e) {
            if (process != null) {
                stop(process);
            }
            TemporaryTree.delete(home);
            throw new BenchException("the server did not start: " + e.getMessage(), e);
        }
    }

    @SuppressWarnings("MustBeClosedChecker")
    private static Product awaitReady(Process process, Path home, Path log, long begun) throws IOException {
        while (process.isAlive()) {
            String text = Files.readString(log);
            String address = find(ADDRESS, text);
            String key = find(KEY, text);
            if (address != null && key != null && isReady(URI.create(address), key)) {
                Duration took = Duration.ofNanos(System.nanoTime() - begun);
                return new Product(process, home, URI.create(address), key, took);
            }
            if (System.nanoTime() - begun > START_MAX.toNanos()) {
                throw new BenchException("it was not ready within " + START_MAX.toSeconds() + " s: " + text);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        throw new BenchException("it ended with status " + process.exitValue() + ": " + Files.readString(log));
    }

    private static @Nullable String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group() : null;
    }

    private static boolean isReady(URI address, String key) {
        try (Glovebox probe = Glovebox.connect(address, key)) {
            return probe.isReady();
        }
    }

    /// The last lines that it wrote, which are for operators: no byte of a guest is in them.
    List<String> lastWords() {
        try {
            List<String> lines = Files.readAllLines(home.resolve("serve.log"));
            return lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size());
        } catch (IOException e) {
            return List.of();
        }
    }

    long pid() {
        return process.pid();
    }

    /// The worker processes that live now.
    List<Long> cells() {
        return Processes.descendants(pid());
    }

    /// The server's own home, as `GLOVEBOX_HOME`.
    Path home() {
        return home.resolve("home");
    }

    /// A client with the administrator's key; closed with this.
    Glovebox client() {
        return client;
    }

    URI address() {
        return address;
    }

    String key() {
        return key;
    }

    /// From the start of the process to its first good answer.
    Duration startTook() {
        return startTook;
    }

    /// A client of another tenant; the caller closes it.
    Glovebox tenant(String name) {
        KeyResponse made = client.keys().create(new KeyRequest("bench", name, "tenant"));
        String secret = made.secret();
        if (secret == null) {
            throw new BenchException("the answer that made a key does not hold it");
        }
        return Glovebox.connect(address, secret);
    }

    @Override
    public void close() {
        client.close();
        stop(process);
        TemporaryTree.delete(home);
    }

    private static void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOP_MAX.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
