package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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

    private final CellOptions options;
    private final List<String> command;

    CellLauncher(CellOptions options, Path socket) {
        this.options = options;
        this.command = command(options, socket);
    }

    /// Starts a cell that will greet with this token.
    Process launch(String tokenHex) {
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

    private static List<String> command(CellOptions options, Path socket) {
        List<String> command = new ArrayList<>();
        // RLIMIT_DATA cannot bound a cell: V8 reserves 0.9 GiB of writable addresses for each isolate and touches
        // few of them. So the kernel is told whom to end first if memory runs out, and CellMemory watches what is
        // touched.
        command.addAll(List.of(
                "/bin/sh",
                "-c",
                "ulimit -c 0; echo 1000 2>/dev/null >/proc/self/oom_score_adj; exec \"$@\"",
                "cell",
                options.javaHome().resolve("bin/java").toString()));
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
}
