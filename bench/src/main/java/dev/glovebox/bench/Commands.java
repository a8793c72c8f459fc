package dev.glovebox.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Runs programs as a shell would, to their ends.
final class Commands {
    private Commands() {}

    /// Runs `./glovebox` and insists on what it prints.
    static void glovebox(Distribution distribution, Path home, List<String> arguments, String expected) {
        List<String> command = new java.util.ArrayList<>(
                List.of("/bin/sh", distribution.launcher().toString()));
        command.addAll(arguments);
        Map<String, String> environment =
                Map.of("GLOVEBOX_HOME", home.toString(), "JAVA_HOME", System.getProperty("java.home"));
        String output = run(command, environment);
        if (!output.contains(expected)) {
            throw new BenchException("'" + String.join(" ", arguments) + "' printed something else than it must");
        }
    }

    /// A JVM that starts and ends, with the command line's options.
    static void nothing() {
        run(
                List.of(
                        Distribution.java().toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Nothing.class.getName()),
                Map.of());
    }

    /// Lets another JVM of ours collect its garbage.
    static void collectGarbage(long pid) {
        String jcmd = Distribution.java().resolveSibling("jcmd").toString();
        run(List.of(jcmd, Long.toString(pid), "GC.run"), Map.of());
    }

    private static String run(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new BenchException("a command ended with status " + status + ": " + output.strip());
            }
            return output;
        } catch (IOException e) {
            throw new BenchException("a command did not start: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
