package dev.glovebox.cell.fs;

import static dev.glovebox.cell.fs.FileSystems.assertQuotaExact;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Does the same random things to a [MemoryFileSystem] and to a directory of the host, and compares what happens:
/// each result, errors included, and from time to time the whole tree. The model is the kernel's own file system.
class PosixComparisonTest {
    private static final int STEPS = 1500;
    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    @TempDir
    Path host;

    private final MemoryFileSystem files = FileSystems.withBounds(10_000_000, 10_000);
    private final Guest guest = new Guest(files);

    private interface HostAction {
        void run() throws IOException;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void behavesAsTheKernelDoes(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < STEPS; step++) {
            String path = randomPath(random);
            String other = randomPath(random);
            switch (random.nextInt(10)) {
                case 0, 1 -> same("mkdir " + path, () -> guest.mkdir(path), () -> Files.createDirectory(at(path)));
                case 2, 3 -> write(path, random.nextInt(40_000), random.nextInt(20_000));
                case 4 -> same("unlink " + path, () -> guest.unlink(path), () -> unlink(at(path)));
                case 5 -> same("rmdir " + path, () -> guest.rmdir(path), () -> rmdir(at(path)));
                case 6, 7 ->
                    same(
                            "rename " + path + " " + other,
                            () -> guest.rename(path, other),
                            () -> Files.move(at(path), at(other), StandardCopyOption.ATOMIC_MOVE));
                case 8 -> {
                    String target = random.nextBoolean() ? path : NAMES.get(random.nextInt(NAMES.size()));
                    same(
                            "symlink " + target + " " + other,
                            () -> guest.symlink(target, other),
                            () -> Files.createSymbolicLink(at(other), Path.of(target)));
                }
                default ->
                    same(
                            "truncate " + path,
                            () -> files.open(guest.following(path), new OpenOptions(false, false, true, false, true))
                                    .close(),
                            () -> FileChannel.open(
                                            at(path), StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
                                    .close());
            }
            if (step % 100 == 0) {
                assertThat(guestTree()).isEqualTo(hostTree());
                assertQuotaExact(files, List.of());
            }
        }
        assertThat(guestTree()).isEqualTo(hostTree());
    }

    private void write(String path, int offset, int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        same(
                "write " + path,
                () -> {
                    try (FileHandle handle = guest.create(path)) {
                        handle.write(offset, ByteBuffer.wrap(bytes));
                    }
                },
                () -> {
                    try (FileChannel channel =
                            FileChannel.open(at(path), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.wrap(bytes), offset);
                    }
                });
    }

    private Path at(String path) {
        return host.resolve(path);
    }

    private static String randomPath(Random random) {
        StringBuilder path = new StringBuilder(NAMES.get(random.nextInt(NAMES.size())));
        while (random.nextInt(3) == 0) {
            path.append('/').append(NAMES.get(random.nextInt(NAMES.size())));
        }
        return path.toString();
    }

    private static void unlink(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(path.toString(), null, "Is a directory");
        }
        Files.delete(path);
    }

    private static void rmdir(Path path) throws IOException {
        boolean exists = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
        if (exists && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(path.toString(), null, "Not a directory");
        }
        Files.delete(path);
    }

    private static void same(String what, Runnable guestAction, HostAction hostAction) {
        Errno expected = Errno.SUCCESS;
        try {
            hostAction.run();
        } catch (IOException error) {
            expected = errno(error);
        }
        Errno actual = Errno.SUCCESS;
        try {
            guestAction.run();
        } catch (FsError error) {
            actual = error.errno();
        }
        assertThat(actual).as(what).isEqualTo(expected);
    }

    private static Errno errno(IOException error) {
        return switch (error) {
            case NoSuchFileException _ -> Errno.NOENT;
            case FileAlreadyExistsException _ -> Errno.EXIST;
            case DirectoryNotEmptyException _ -> Errno.NOTEMPTY;
            case FileSystemException other ->
                switch (String.valueOf(other.getReason()).replaceFirst(".*: ", "")) {
                    case "Not a directory" -> Errno.NOTDIR;
                    case "Is a directory" -> Errno.ISDIR;
                    case "Directory not empty" -> Errno.NOTEMPTY;
                    case "Invalid argument" -> Errno.INVAL;
                    case "File exists" -> Errno.EXIST;
                    case String reason when reason.startsWith("Too many levels of symbolic links") -> Errno.LOOP;
                    default -> throw new UncheckedIOException(error);
                };
            default -> throw new UncheckedIOException(error);
        };
    }

    /// Path to type and content, without the skeleton.
    private Map<String, String> guestTree() {
        Map<String, String> tree = new TreeMap<>();
        HostFiles reader = new HostFiles(files);
        List<FileEntry> entries = new ArrayList<>();
        reader.list(GuestPath.ROOT, Integer.MAX_VALUE, entries::add);
        for (FileEntry entry : entries) {
            if (entry.path().matches("/(home|tmp|lib|dev)(/.*)?")) {
                continue;
            }
            tree.put(
                    entry.path().substring(1),
                    switch (entry.type()) {
                        case DIRECTORY, OTHER -> "directory";
                        case SYMLINK -> "-> " + entry.linkTarget();
                        case FILE ->
                            entry.sizeBytes() + " "
                                    + Arrays.hashCode(reader.read(new GuestPath(entry.path()), Integer.MAX_VALUE));
                    });
        }
        return tree;
    }

    private Map<String, String> hostTree() {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(host)) {
            for (Path path : paths.sorted(Comparator.naturalOrder()).skip(1).toList()) {
                String value;
                if (Files.isSymbolicLink(path)) {
                    value = "-> " + Files.readSymbolicLink(path);
                } else if (Files.isDirectory(path)) {
                    value = "directory";
                } else {
                    value = Files.size(path) + " " + Arrays.hashCode(Files.readAllBytes(path));
                }
                tree.put(host.relativize(path).toString(), value);
            }
            return tree;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
