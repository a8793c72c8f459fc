package dev.glovebox.cell.fs;

import static dev.glovebox.cell.fs.FileSystems.assertQuotaExact;
import static dev.glovebox.cell.fs.FileSystems.assertRefused;
import static dev.glovebox.cell.fs.FileSystems.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HostFilesTest {
    private final MemoryFileSystem files = FileSystems.withBounds(100_000, 50);
    private final Guest guest = new Guest(files);
    private final HostFiles host = new HostFiles(files);

    private static GuestPath path(String value) {
        return new GuestPath(value);
    }

    private void write(String path, String text) {
        host.write(path(path), utf8(text), WriteOptions.DEFAULT);
    }

    private List<String> list(String path, int depth) {
        List<String> found = new ArrayList<>();
        host.list(path(path), depth, entry -> found.add(entry.path()));
        return found;
    }

    private String read(String path) {
        return new String(host.read(path(path), 1000), StandardCharsets.UTF_8);
    }

    @AfterEach
    void auditQuota() {
        assertQuotaExact(files, List.of());
    }

    @Test
    void writesAWholeFileAndTheDirectoriesAboveIt() {
        write("/home/user/a/b/c.txt", "hello");
        assertThat(guest.read("home/user/a/b/c.txt")).isEqualTo("hello");
        FileEntry entry = host.stat(path("/home/user/a/b/c.txt"));
        assertThat(entry)
                .isEqualTo(new FileEntry("/home/user/a/b/c.txt", FileEntry.Type.FILE, 5, 0644, FileSystems.START, ""));
        assertRefused(
                () -> host.write(path("/none/f"), utf8(""), new WriteOptions(0600, false)), Errno.NOENT, "no such");
    }

    @Test
    void keepsTheModeOfAReplacedFileUnlessToldOtherwise() {
        host.write(path("/tmp/f"), utf8("1"), new WriteOptions(0755, false));
        write("/tmp/f", "2");
        assertThat(host.stat(path("/tmp/f")).mode()).isEqualTo(0755);
        host.write(path("/tmp/f"), utf8("3"), new WriteOptions(0600, false));
        assertThat(host.stat(path("/tmp/f")).mode()).isEqualTo(0600);
    }

    @Test
    void replacesAFileAtOnceAndLeavesReadersTheOldOne() {
        write("/tmp/f", "old");
        try (FileHandle reader = guest.open("tmp/f");
                Replacement replacement = host.replace(path("/tmp/f"), WriteOptions.DEFAULT)) {
            replacement.append(utf8("ne"));
            replacement.append(utf8("w"));
            assertThat(guest.read("tmp/f")).isEqualTo("old");
            replacement.commit();
            assertThat(guest.read("tmp/f")).isEqualTo("new");
            assertThat(Guest.read(reader)).isEqualTo("old");
            assertRefused(replacement::commit, Errno.BADF, "bad file descriptor");
        }
    }

    @Test
    void leavesNoTraceOfAReplacementThatBreaksOff() {
        try (Replacement replacement = host.replace(path("/tmp/new/f"), WriteOptions.DEFAULT)) {
            replacement.append(utf8("half"));
            assertThat(files.usedFiles()).isEqualTo(1);
        }
        assertThat(list("/tmp", 9)).isEmpty();
        assertThat(files.usedFiles()).isZero();
        assertThat(files.usedBytes()).isZero();
    }

    @Test
    void replacesWhatALinkPointsToAndKeepsTheLink() {
        write("/tmp/target", "old");
        guest.symlink("/tmp/target", "tmp/l");
        write("/tmp/l", "new");
        assertThat(read("/tmp/target")).isEqualTo("new");
        assertThat(host.stat(path("/tmp/l")).linkTarget()).isEqualTo("/tmp/target");
    }

    @Test
    void refusesPlacesThatNoFileCanTake() {
        assertRefused(() -> write("/tmp", "x"), Errno.ISDIR, "is a directory");
        assertRefused(() -> write("/dev/null", "x"), Errno.PERM, "not a regular file");
        assertRefused(() -> write("/dev/null/x", "x"), Errno.NOTDIR, "not a directory");
        guest.symlink("loop", "loop");
        assertRefused(() -> write("/loop", "x"), Errno.LOOP, "symbolic links");
        assertRefused(() -> host.open(path("/tmp")), Errno.ISDIR, "is a directory");
        assertRefused(() -> host.open(path("/dev/zero")), Errno.PERM, "not a regular file");
        assertRefused(() -> host.open(path("/none")), Errno.NOENT, "no such file");
    }

    @Test
    void refusesAWriteThatDoesNotFitAsAWhole() {
        write("/tmp/f", "old");
        String tooMuch = "x".repeat(100_001);
        assertRefused(() -> write("/tmp/f", tooMuch), Errno.NOSPC, "bytes too early");
        assertThat(read("/tmp/f")).isEqualTo("old");
        assertRefused(
                () -> host.append(path("/tmp/f"), utf8(tooMuch), WriteOptions.DEFAULT), Errno.NOSPC, "bytes too early");
        assertThat(read("/tmp/f")).isEqualTo("old");
        assertRefused(
                () -> host.append(path("/tmp/new"), utf8(tooMuch), WriteOptions.DEFAULT),
                Errno.NOSPC,
                "bytes too early");
        assertRefused(() -> host.stat(path("/tmp/new")), Errno.NOENT, "no such file");
    }

    @Test
    void appendsToAFileAndCreatesItIfItIsMissing() {
        host.append(path("/tmp/log"), utf8("one "), new WriteOptions(0600, false));
        host.append(path("/tmp/log"), utf8("two"), WriteOptions.DEFAULT);
        assertThat(read("/tmp/log")).isEqualTo("one two");
        assertThat(host.stat(path("/tmp/log")).mode()).isEqualTo(0600);
    }

    @Test
    void readsAtMostWhatTheCallerCanHold() {
        write("/tmp/f", "12345");
        assertThat(host.read(path("/tmp/f"), 5)).hasSize(5);
        assertRefused(() -> host.read(path("/tmp/f"), 4), Errno.FBIG, "it has 5 bytes; the bound is 4");
        try (FileHandle handle = host.open(path("/tmp/f"))) {
            ByteBuffer target = ByteBuffer.allocate(10);
            assertThat(handle.read(3, target)).isEqualTo(2);
        }
    }

    @Test
    void listsToADepthWithoutFollowingLinks() {
        write("/tmp/a/b/c/f", "");
        guest.symlink("a", "tmp/l");
        assertThat(list("/tmp", 1)).containsExactly("/tmp/a", "/tmp/l");
        assertThat(list("/tmp", 2)).containsExactly("/tmp/a", "/tmp/a/b", "/tmp/l");
        assertThat(list("/tmp/l", 9)).containsExactly("/tmp/l/b", "/tmp/l/b/c", "/tmp/l/b/c/f");
        assertThat(list("/", 1)).containsExactly("/dev", "/home", "/lib", "/tmp");
        assertRefused(() -> list("/tmp/a/b/c/f", 1), Errno.NOTDIR, "not a directory");
        assertRefused(() -> list("/none", 1), Errno.NOENT, "no such file");
    }

    @Test
    void makesDirectoriesAndSaysWhetherTheyAreNew() {
        assertThat(host.makeDirectory(path("/tmp/a/b"), true)).isTrue();
        assertThat(host.makeDirectory(path("/tmp/a/b"), true)).isFalse();
        assertThat(host.makeDirectory(path("/"), true)).isFalse();
        assertRefused(() -> host.makeDirectory(path("/tmp/x/y"), false), Errno.NOENT, "no such file");
        write("/tmp/f", "");
        assertRefused(() -> host.makeDirectory(path("/tmp/f"), true), Errno.EXIST, "not a directory");
        assertRefused(() -> host.makeDirectory(path("/tmp/f/x"), true), Errno.NOTDIR, "not a directory");
    }

    @Test
    void movesFilesAndDirectories() {
        write("/tmp/a/f", "x");
        host.move(path("/tmp/a"), path("/home/user/a"));
        assertThat(read("/home/user/a/f")).isEqualTo("x");
        assertRefused(() -> host.move(path("/tmp"), path("/x")), Errno.BUSY, "part of every sandbox");
        assertRefused(() -> host.move(path("/none"), path("/x")), Errno.NOENT, "no such file");
    }

    @Test
    void removesATreeWithEverythingInItAndNothingElse() {
        write("/tmp/t/a/f", "x");
        write("/tmp/t/g", "x");
        write("/tmp/kept", "kept");
        guest.symlink("/tmp/kept", "tmp/t/l");
        try (FileHandle open = guest.open("tmp/t/a/f");
                FileHandle directory = guest.open("tmp/t/a")) {
            assertRefused(() -> host.remove(path("/tmp/t"), false), Errno.NOTEMPTY, "not empty");
            host.remove(path("/tmp/t"), true);
            assertThat(list("/tmp", 9)).containsExactly("/tmp/kept");
            assertThat(read("/tmp/kept")).isEqualTo("kept");
            assertThat(Guest.read(open)).isEqualTo("x");
            assertQuotaExact(files, List.of(open, directory));
            PathAt inside = new PathAt(directory, "new", false);
            assertRefused(() -> files.createDirectory(inside), Errno.NOENT, "the directory was removed");
        }
        assertThat(files.usedFiles()).isEqualTo(1);
        assertRefused(() -> host.remove(path("/tmp"), true), Errno.BUSY, "part of every sandbox");
        assertRefused(() -> host.remove(path("/"), true), Errno.BUSY, "part of every sandbox");
        assertRefused(() -> host.remove(path("/none"), true), Errno.NOENT, "no such file");
    }

    @Test
    void removesALinkAndNotWhatItPointsTo() {
        write("/tmp/d/f", "x");
        guest.symlink("d", "tmp/l");
        host.remove(path("/tmp/l"), true);
        assertThat(read("/tmp/d/f")).isEqualTo("x");
    }
}
