package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// Starts the process of a cell: a JVM with nothing of ours but what a cell needs, nothing of the host's environment,
/// and a standard input whose end is its end.
final class CellLauncher {
    private static final String MAIN_CLASS = "dev.glovebox.cell.Cell";
    /// How a cell's JVM is started: flags and class path, written where the product is put together.
    private static final String FLAGS = "cell.flags";

    /// How the C library keeps memory for V8. Left alone it puts large blocks into one of many arenas once it has
    /// seen some, and an arena gives little back: 60 guests that filled 128 MiB each left 790 MiB.
    private static final Map<String, String> ALLOCATOR =
            Map.of("MALLOC_ARENA_MAX", "4", "MALLOC_MMAP_THRESHOLD_", "131072", "MALLOC_TRIM_THRESHOLD_", "262144");

    private static final AtomicLong NUMBERS = new AtomicLong();
    /// What the JVM itself takes beside what a cell's guests may hold.
    private static final long JVM_BYTES = 512L * 1024 * 1024;
    /// Of a cell: a thread for each guest that runs, V8's, the collector's.
    private static final int THREADS_MAX = 2048;

    private final CellOptions options;
    private final Path socket;
    private final List<String> java;
    private final List<String> command;

    CellLauncher(CellOptions options, Path socket) {
        this.options = options;
        this.socket = socket;
        this.java = java(options, socket);
        this.command = plain(java);
    }

    /// Starts a cell that will greet with this token.
    CellProcess launch(String tokenHex) throws InterruptedException {
        Supervision jail = options.jail();
        return jail == null
                ? new PlainCellProcess(launchPlain(tokenHex))
                : JailedCellProcess.start(jail.get(), jailed(tokenHex), Limits.CELL_START_MAX);
    }

    private StartRequest jailed(String tokenHex) {
        StartRequest request = StartRequest.command("cell-" + NUMBERS.incrementAndGet())
                .text("input", tokenHex + "\n")
                .put("memory", Limits.CELL_MEMORY_BYTES_MAX + JVM_BYTES)
                .put("pids", THREADS_MAX)
                .put("hostname", "cell");
        readable().forEach(path -> request.put("bind", path.toString()));
        ALLOCATOR.forEach((name, value) -> request.put("environment", name + "=" + value));
        return request.arguments(java);
    }

    /// What a cell reads of the host: the JDK, the C library, the product, and the socket.
    private List<Path> readable() {
        List<Path> paths = new ArrayList<>();
        paths.add(options.javaHome());
        paths.add(options.distribution());
        Stream.of("/lib", "/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64")
                .map(Path::of)
                .filter(Files::isDirectory)
                // A link to a place that is listed is not needed twice, but the loader asks for it by this name.
                .forEach(paths::add);
        paths.add(socket);
        return paths;
    }

    private Process launchPlain(String tokenHex) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(ALLOCATOR);
        builder.directory(options.runDirectory().toFile());
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = builder.start();
            sayToken(process, tokenHex);
            return process;
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE, "a cell could not be started: 'glovebox doctor' says more", failure);
        }
    }

    private static void sayToken(Process process, String tokenHex) throws IOException {
        try {
            // Not a try-with-resources: the stream stays open for as long as the cell may live.
            OutputStream input = process.getOutputStream();
            input.write((tokenHex + "\n").getBytes(StandardCharsets.US_ASCII));
            input.flush();
        } catch (IOException failure) {
            process.destroyForcibly();
            throw failure;
        }
    }

    /// What is missing for a cell, in words; empty if nothing is.
    static String missing(CellOptions options) {
        List<Path> needed = List.of(
                options.javaHome().resolve("bin/java"),
                options.distribution().resolve(FLAGS),
                options.distribution().resolve("native"),
                options.distribution().resolve("guest/python.wasm"));
        return needed.stream()
                .filter(path -> !Files.exists(path))
                .map(path -> path + " does not exist")
                .findFirst()
                .orElse("");
    }

    private static List<String> java(CellOptions options, Path socket) {
        List<String> command = new ArrayList<>();
        command.add(options.javaHome().resolve("bin/java").toString());
        command.add("@" + options.distribution().resolve(FLAGS));
        command.add(MAIN_CLASS);
        command.addAll(List.of("--socket", socket.toString()));
        if (!options.warm().isEmpty()) {
            command.addAll(List.of("--warm", options.warm()));
        }
        if (options.oneRun()) {
            command.add("--prime");
        }
        return List.copyOf(command);
    }

    /// RLIMIT_DATA cannot bound a cell: V8 reserves 0.9 GiB of writable addresses for each isolate and touches few of
    /// them. So the kernel is told whom to end first if memory runs out, and CellMemory watches what is touched.
    private static List<String> plain(List<String> java) {
        List<String> command = new ArrayList<>(List.of(
                "/bin/sh", "-c", "ulimit -c 0; echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec \"$@\"", "cell"));
        command.addAll(java);
        return List.copyOf(command);
    }
}
