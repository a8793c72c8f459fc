package dev.glovebox.bench;

import java.nio.file.Files;
import java.nio.file.Path;

/// Where the built product lies.
///
/// @param root the source tree, with `glovebox` in it
/// @param dist `build/dist`
record Distribution(Path root, Path dist) {

    /// From `glovebox.dist`, which the launcher sets.
    static Distribution find() {
        String property = System.getProperty("glovebox.dist");
        if (property == null) {
            throw new BenchException("the system property glovebox.dist is missing: run './glovebox bench'");
        }
        Path dist = Path.of(property).toAbsolutePath().normalize();
        Path root = dist.resolve("../..").normalize();
        if (!Files.exists(dist.resolve("server.flags")) || !Files.exists(root.resolve("glovebox"))) {
            throw new BenchException("there is no built product in " + dist + ": run './glovebox build'");
        }
        return new Distribution(root, dist);
    }

    Path launcher() {
        return root.resolve("glovebox");
    }

    Path natives() {
        return dist.resolve("native");
    }

    Path guest(String file) {
        return dist.resolve("guest").resolve(file);
    }

    static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }
}
