import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/// Puts the built product together in build/dist, from which it runs:
///
///     app/*.jar        server, command line, their libraries
///     cell/*.jar       the worker JVM
///     bench/*.jar      the benchmarks
///     native/*.so      V8, unpacked once instead of at every start
///     guest/           python.wasm, python-start.wasm, python313.zip (stored, so that it can be read in place), quickjs.wasm, ...
///     aot/*.aot        classes loaded, linked and profiled ahead of time, if this JDK can
///     *.flags          how each kind of process is started: java @cli.flags dev.glovebox.cli.Main
///
/// Maven has copied the jars; this program checks the guests' files against their checksums and trains the caches.
final class Assemble {
    private static final int TRAINING_SECONDS_MAX = 90;

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
        for (String directory : List.of("app", "cell", "bench", "native", "guest", "aot")) {
            deleteTree(dist.resolve(directory));
            Files.createDirectories(dist.resolve(directory));
        }
        List<String> app = collectJars("cli", "app");
        List<String> cell = collectJars("cell", "cell");
        writeFlags("bench", collectJars("bench", "bench"), false);
        unpackNatives();
        unpackGuests();
        Map<String, List<String>> classPaths = Map.of("cli", app, "server", app, "cell", cell);
        for (Map.Entry<String, List<String>> kind : classPaths.entrySet()) {
            writeFlags(kind.getKey(), kind.getValue(), false);
        }
        trainCaches(classPaths);
        Files.writeString(dist.resolve(".stamp"), "");
    }

    /// Copies what Maven gathered for a module, and the module's own jar, and returns the class path.
    private List<String> collectJars(String module, String target) throws IOException {
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
        return classPath;
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

    private void unpackGuest(Path file) throws IOException, DataFormatException {
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

    /// Writes a zip with its entries stored, in their order and with nothing added: a frozen interpreter knows each
    /// entry's place. java.util.zip cannot, because it adds a field to each entry of 1980-01-01.
    private static void store(Path zip, Path target) throws IOException, DataFormatException {
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(zip)).order(ByteOrder.LITTLE_ENDIAN);
        int end = in.capacity() - 22;
        while (in.getInt(end) != 0x06054b50) {
            end--;
        }
        ByteArrayOutputStream entries = new ByteArrayOutputStream();
        ByteArrayOutputStream directory = new ByteArrayOutputStream();
        int at = in.getInt(end + 16);
        for (int count = in.getShort(end + 10) & 0xffff; count > 0; count--) {
            int size = in.getInt(at + 24);
            int nameLength = in.getShort(at + 28) & 0xffff;
            int local = in.getInt(at + 42);
            int start = local + 30 + (in.getShort(local + 26) & 0xffff) + (in.getShort(local + 28) & 0xffff);
            ByteBuffer header = copy(in, local, start - local);
            header.putShort(8, (short) 0).putInt(18, size);
            ByteBuffer entry = copy(in, at, 46 + nameLength);
            entry.putShort(10, (short) 0).putInt(20, size).putInt(42, entries.size());
            directory.writeBytes(entry.array());
            entries.writeBytes(header.array());
            entries.writeBytes(inflate(copy(in, start, in.getInt(at + 20)), size));
            at += 46 + nameLength + (in.getShort(at + 30) & 0xffff) + (in.getShort(at + 32) & 0xffff);
        }
        ByteBuffer tail = copy(in, end, in.capacity() - end);
        tail.putInt(12, directory.size()).putInt(16, entries.size());
        entries.writeBytes(directory.toByteArray());
        entries.writeBytes(tail.array());
        Files.write(target, entries.toByteArray());
    }

    private static ByteBuffer copy(ByteBuffer from, int offset, int length) {
        byte[] bytes = new byte[length];
        from.get(offset, bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] inflate(ByteBuffer packed, int size) throws DataFormatException {
        try (Inflater inflater = new Inflater(true)) {
            inflater.setInput(packed);
            byte[] content = new byte[size];
            int filled = inflater.inflate(content);
            if (filled != size) {
                throw new DataFormatException("an entry has " + filled + " bytes, not " + size);
            }
            return content;
        }
    }

    /// Every file of a guest's dist directory stands in its SHA256SUMS, with the right sum. Lines about other files say
    /// what comes of unpacking; they are for who rebuilds.
    private static void checkSums(Path directory) throws Exception {
        Map<String, String> sums = new HashMap<>();
        for (String line : Files.readAllLines(directory.resolve("SHA256SUMS"))) {
            String[] parts = line.trim().split("\\s+\\*?", 2);
            sums.put(parts[1], parts[0]);
        }
        for (Path file : list(directory, "")) {
            String name = file.getFileName().toString();
            if (!name.equals("SHA256SUMS") && !sha256(file).equals(sums.get(name))) {
                throw new IOException(file + " does not have the checksum of its SHA256SUMS");
            }
        }
    }

    private static String sha256(Path file) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    // ---- how each kind of process is started

    /// A kind's flags with its class path, as the java launcher reads them (`java @FILE Main`).
    private void writeFlags(String kind, List<String> classPath, boolean cached) throws IOException {
        StringBuilder flags = new StringBuilder(Files.readString(root.resolve("scripts/jvm/" + kind + ".flags")));
        flags.append("-Dglovebox.dist=").append(quoted(dist.toString())).append('\n');
        flags.append("-cp\n").append(quoted(String.join(":", classPath))).append('\n');
        if (cached) {
            flags.append("-XX:AOTCache=")
                    .append(quoted(dist.resolve("aot/" + kind + ".aot").toString()))
                    .append('\n');
        }
        Files.writeString(dist.resolve(kind + ".flags"), flags);
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    /// Loads, links and profiles classes ahead of time (JEP 483 and 515), if this JDK and this machine can: a process
    /// without a cache only takes longer to start.
    private void trainCaches(Map<String, List<String>> classPaths) throws Exception {
        Path work = Files.createTempDirectory("glovebox-train");
        try {
            for (String kind : List.of("cell", "server", "cli")) {
                if (train(kind, work)) {
                    Files.move(work.resolve(kind + ".aot"), dist.resolve("aot/" + kind + ".aot"));
                    writeFlags(kind, classPaths.get(kind), true);
                } else {
                    System.err.println("no cache of classes for " + kind + ": it starts cold");
                }
            }
        } finally {
            deleteTree(work);
        }
    }

    private boolean train(String kind, Path work) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                "sh", root.resolve("scripts/train.sh").toString(), kind);
        builder.environment().put("DIST", dist.toString());
        builder.environment().put("WORK", work.toString());
        builder.environment()
                .put("JAVA", Path.of(System.getProperty("java.home"), "bin/java").toString());
        builder.inheritIO();
        Process process = builder.start();
        boolean ended = process.waitFor(TRAINING_SECONDS_MAX, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return ended && process.exitValue() == 0 && Files.exists(work.resolve(kind + ".aot"));
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
