import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/// Puts the built product together in build/dist, from which it runs:
///
///     app/*.jar        server, command line, their libraries        app.classpath  in what order
///     cell/*.jar       the worker JVM                                cell.classpath
///     native/*.so      V8, unpacked once instead of at every start
///     guest/           python.wasm, python313.zip (stored, so that it can be read in place), quickjs.wasm, ...
///     aot/*.aot        classes loaded, linked and profiled ahead of time, if this JDK can
///
/// Maven has copied the jars; this program checks the guests' files against their checksums and trains the caches.
final class Assemble {
    private final Path root;
    private final Path dist;

    private Assemble(Path root) {
        this.root = root;
        this.dist = root.resolve("build/dist");
    }

    public static void main(String[] arguments) throws Exception {
        Assemble assemble = new Assemble(Path.of(arguments[0]).toAbsolutePath());
        assemble.run();
    }

    private void run() throws Exception {
        Files.deleteIfExists(dist.resolve(".stamp"));
        for (String directory : List.of("app", "cell", "native", "guest", "aot")) {
            deleteTree(dist.resolve(directory));
            Files.createDirectories(dist.resolve(directory));
        }
        collectJars("cli", "app");
        collectJars("cell", "cell");
        unpackNatives();
        unpackGuests();
        trainCaches();
        Files.writeString(dist.resolve(".stamp"), "");
    }

    /// Copies what Maven gathered for a module, and the module's own jar, and writes the class path down.
    private void collectJars(String module, String target) throws IOException {
        List<Path> jars = new ArrayList<>();
        jars.addAll(list(root.resolve(module + "/target/runtime"), ".jar"));
        list(root.resolve(module + "/target"), ".jar").stream()
                .filter(jar -> !jar.getFileName().toString().contains("-sources"))
                .forEach(jars::add);
        List<String> classPath = new ArrayList<>();
        for (Path jar : jars) {
            if (jar.getFileName().toString().startsWith("javet-v8-")) {
                continue;
            }
            Path copy = dist.resolve(target).resolve(jar.getFileName());
            Files.copy(jar, copy, StandardCopyOption.REPLACE_EXISTING);
            classPath.add(copy.toString());
        }
        classPath.sort(String::compareTo);
        Files.writeString(dist.resolve(target + ".classpath"), String.join(":", classPath) + "\n");
    }

    private void unpackNatives() throws IOException {
        for (Path jar : list(root.resolve("cell/target/runtime"), ".jar")) {
            if (!jar.getFileName().toString().startsWith("javet-v8-")) {
                continue;
            }
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                for (ZipEntry entry : zip.stream().filter(e -> e.getName().endsWith(".so")).toList()) {
                    Path target = dist.resolve("native").resolve(Path.of(entry.getName()).getFileName());
                    try (InputStream in = zip.getInputStream(entry)) {
                        Files.copy(in, target);
                    }
                }
            }
        }
    }

    /// Everything in guest/*/dist, checked; .gz unpacked; zip files of libraries stored instead of deflated.
    private void unpackGuests() throws Exception {
        try (Stream<Path> guests = Files.list(root.resolve("guest"))) {
            for (Path guest : guests.sorted().toList()) {
                Path files = guest.resolve("dist");
                if (Files.isDirectory(files)) {
                    checkSums(files);
                    for (Path file : list(files, "")) {
                        unpackGuest(file);
                    }
                }
            }
        }
    }

    private void unpackGuest(Path file) throws IOException {
        String name = file.getFileName().toString();
        Path target = dist.resolve("guest").resolve(name.replaceAll("\\.gz$", ""));
        if (name.endsWith(".gz")) {
            try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
                Files.copy(in, target);
            }
        } else if (name.endsWith(".zip")) {
            store(file, target);
        } else if (!name.equals("SHA256SUMS")) {
            Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void store(Path zip, Path target) throws IOException {
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip));
                OutputStream file = Files.newOutputStream(target);
                ZipOutputStream out = new ZipOutputStream(file)) {
            out.setMethod(ZipOutputStream.STORED);
            ZipEntry entry;
            while ((entry = in.getNextEntry()) != null) {
                byte[] content = in.readAllBytes();
                CRC32 crc = new CRC32();
                crc.update(content);
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTime(0);
                copy.setSize(content.length);
                copy.setCompressedSize(content.length);
                copy.setCrc(crc.getValue());
                out.putNextEntry(copy);
                out.write(content);
                out.closeEntry();
            }
        }
    }

    private static void checkSums(Path directory) throws Exception {
        for (String line : Files.readAllLines(directory.resolve("SHA256SUMS"))) {
            String[] parts = line.trim().split("\\s+\\*?", 2);
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (InputStream in =
                    new DigestInputStream(Files.newInputStream(directory.resolve(parts[1])), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            if (!HexFormat.of().formatHex(digest.digest()).equals(parts[0])) {
                throw new IOException(directory.resolve(parts[1]) + " does not have the checksum of its SHA256SUMS");
            }
        }
    }

    // ---- caches of classes: a run that was never cached only takes longer, so what fails here is told and passed over

    private void trainCaches() throws Exception {
        Path home = Files.createTempDirectory("glovebox-train");
        try {
            train("cell", home, List.of("-Dglovebox.train=cell"));
            train("cli", home, List.of());
            train("server", home, List.of());
        } finally {
            deleteTree(home);
        }
    }

    private void train(String what, Path home, List<String> extra) throws Exception {
        Path script = root.resolve("scripts/train-" + what + ".sh");
        if (!Files.exists(script)) {
            return;
        }
        ProcessBuilder builder = new ProcessBuilder("sh", script.toString());
        builder.environment().put("GLOVEBOX_DIST", dist.toString());
        builder.environment().put("GLOVEBOX_HOME", home.toString());
        builder.environment().put("AOT", dist.resolve("aot/" + what + ".aot").toString());
        builder.inheritIO();
        Process process = builder.start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            System.err.println("training the cache of " + what + " took too long: it starts cold");
        } else if (process.exitValue() != 0) {
            System.err.println("training the cache of " + what + " failed: it starts cold");
        }
    }

    private static List<Path> list(Path directory, String suffix) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        }
    }

    private static void deleteTree(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
