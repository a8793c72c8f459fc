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
import java.util.stream.Stream;

/// Starts the process of a cell: a JVM with nothing of ours but what a cell needs, an empty environment, a bound on its
/// memory, and a standard input whose end is its end.
final class CellLauncher {
    private static final String MAIN_CLASS = "dev.glovebox.cell.Cell";

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
        builder.directory(options.runDirectory().toFile());
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = builder.start();
            // Not a try-with-resources: the stream stays open for as long as the cell may live.
            OutputStream input = process.getOutputStream();
            input.write((tokenHex + "\n").getBytes(StandardCharsets.US_ASCII));
            input.flush();
            return process;
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE, "a cell could not be started: 'glovebox doctor' says more", failure);
        }
    }

    /// What is missing for a cell, in words; empty if nothing is.
    static String missing(CellOptions options) {
        List<Path> needed = List.of(
                options.javaHome().resolve("bin/java"),
                options.distribution().resolve("cell"),
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
        // The shell's ulimit is the one way to set RLIMIT_DATA without privileges before a program starts. It makes a
        // huge allocation fail inside the guest instead of taking the machine's memory.
        command.addAll(List.of(
                "/bin/sh",
                "-c",
                "ulimit -c 0; ulimit -d " + Limits.CELL_DATA_BYTES_MAX / 1024 + " && exec \"$@\"",
                "cell",
                options.javaHome().resolve("bin/java").toString()));
        command.addAll(JVM_FLAGS);
        Path aot = options.distribution().resolve("aot/cell.aot");
        if (Files.exists(aot)) {
            command.add("-XX:AOTCache=" + aot);
        }
        command.add("-Dglovebox.dist=" + options.distribution());
        command.add("-cp");
        command.add(classPath(options.distribution().resolve("cell")));
        command.add(MAIN_CLASS);
        command.addAll(List.of("--socket", socket.toString()));
        if (!options.warm().isEmpty()) {
            command.addAll(List.of("--warm", options.warm()));
        }
        return List.copyOf(command);
    }

    /// A small, quick JVM: its heap holds the sandboxes' files and what is in flight; V8 keeps its memory elsewhere.
    private static final List<String> JVM_FLAGS = List.of(
            "-Xms32m",
            "-Xmx1g",
            "-Xss512k",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+DisableAttachMechanism",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");

    /// The jars in a fixed order: the AOT cache is only valid for the class path that it was trained with.
    private static String classPath(Path directory) {
        try (Stream<Path> jars = Files.list(directory)) {
            return String.join(
                    ":",
                    jars.filter(path -> path.toString().endsWith(".jar"))
                            .map(Path::toString)
                            .sorted()
                            .toList());
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "the cells' program is not in " + directory + ": build it with './glovebox build'",
                    failure);
        }
    }
}
