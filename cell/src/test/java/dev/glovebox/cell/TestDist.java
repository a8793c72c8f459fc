package dev.glovebox.cell;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;

/// Lays out, below `target`, the directory that a cell is given as `glovebox.dist`.
public final class TestDist {
    private static final String LIBRARY = "libjavet-v8-linux-x86_64.v.5.0.6.so";

    private static final long TRAINING_SECONDS_MAX = 120;

    private TestDist() {}

    /// Makes it, or finds it made, and returns it.
    public static synchronized Path make() throws IOException {
        Path root = Path.of(System.getProperty("glovebox.root", ".."));
        Path dist = Path.of("target", "dist").toAbsolutePath();
        Path library = Files.createDirectories(dist.resolve("native")).resolve(LIBRARY);
        if (!Files.exists(library)) {
            try (InputStream in = TestDist.class.getResourceAsStream("/" + LIBRARY)) {
                if (in == null) {
                    throw new IOException("javet's native library is not on the class path");
                }
                Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Path guest = Files.createDirectories(dist.resolve("guest"));
        unpack(root.resolve("guest/python-wasm/dist/python.wasm.gz"), guest.resolve("python.wasm"));
        unpack(root.resolve("guest/python-wasm/dist/python-start.wasm.gz"), guest.resolve("python-start.wasm"));
        unpack(root.resolve("guest/typescript/dist/typescript.wasm.gz"), guest.resolve("typescript.wasm"));
        for (String file : new String[] {
            "python-wasm/dist/python313.zip", "quickjs-wasm/dist/quickjs.wasm", "typescript/dist/typescript.js"
        }) {
            Path source = root.resolve("guest").resolve(file);
            Files.copy(source, guest.resolve(source.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        if (!Files.exists(guest.resolve("isolate.snapshot"))) {
            train(dist);
        }
        return dist;
    }

    /// Makes the prelude's snapshot as the product's build does, in a process that serves nobody: a cell without it
    /// makes its own, beside isolates that run, and V8 has crashed over that.
    private static void train(Path dist) throws IOException {
        Process training = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dglovebox.dist=" + dist,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.glovebox.cell.Cell",
                        "--train")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!training.waitFor(TRAINING_SECONDS_MAX, TimeUnit.SECONDS) || training.exitValue() != 0) {
                training.destroyForcibly();
                Files.deleteIfExists(dist.resolve("guest/isolate.snapshot"));
                throw new IOException("a cell could not be trained");
            }
        } catch (InterruptedException e) {
            training.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static void unpack(Path from, Path to) throws IOException {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(from))) {
            Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
