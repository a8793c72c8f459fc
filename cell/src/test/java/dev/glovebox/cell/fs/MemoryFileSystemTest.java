package dev.glovebox.cell.fs;

import static dev.glovebox.cell.fs.FileSystems.assertQuotaExact;
import static dev.glovebox.cell.fs.FileSystems.assertRefused;
import static dev.glovebox.cell.fs.FileSystems.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryFileSystemTest {
    private final MemoryFileSystem files = FileSystems.withBounds(1_000_000, 100);
    private final Guest guest = new Guest(files);

    @Test
    void beginsWithASkeletonThatCostsNothingAndCannotBeRemoved() {
        assertThat(files.usedFiles()).isZero();
        assertThat(files.usedBytes()).isZero();
        for (String path : List.of("home", "home/user", "tmp", "lib", "dev")) {
            assertThat(files.stat(guest.at(path)).isDirectory()).isTrue();
            assertRefused(() -> guest.rmdir(path), Errno.BUSY, "part of every sandbox");
            assertRefused(() -> guest.rename(path, "elsewhere"), Errno.BUSY, "part of every sandbox");
        }
        assertRefused(() -> guest.unlink("dev/null"), Errno.ROFS, "part of every sandbox");
        assertRefused(() -> guest.rmdir("."), Errno.BUSY, "part of every sandbox");
    }

    @Test
    void keepsWhatWasWritten() {
        guest.write("tmp/a", "hello");
        assertThat(guest.read("tmp/a")).isEqualTo("hello");
        Attributes attributes = files.stat(guest.at("tmp/a"));
        assertThat(attributes.type()).isEqualTo(FileEntry.Type.FILE);
        assertThat(attributes.size()).isEqualTo(5);
        assertThat(attributes.mode()).isEqualTo(0644);
        assertThat(attributes.links()).isEqualTo(1);
        assertThat(attributes.modifiedNanos()).isEqualTo(FileSystems.START.toEpochMilli() * 1_000_000);
    }

    @Test
    void opensAsTheOptionsSay() {
        guest.write("f", "content");
        guest.mkdir("d");
        guest.symlink("f", "l");
        OpenOptions exclusive = new OpenOptions(true, true, false, false, true);
        assertRefused(() -> guest.open("none"), Errno.NOENT, "no such file");
        assertRefused(() -> files.open(guest.at("f"), exclusive), Errno.EXIST, "file exists");
        assertRefused(() -> files.open(guest.following("l"), exclusive), Errno.EXIST, "file exists");
        assertRefused(() -> files.open(guest.at("l"), OpenOptions.READ), Errno.LOOP, "not followed");
        assertRefused(() -> guest.create("d"), Errno.ISDIR, "is a directory");
        assertRefused(() -> guest.create("new/"), Errno.ISDIR, "does not make a directory");
        OpenOptions directory = new OpenOptions(false, false, false, true, false);
        assertRefused(() -> files.open(guest.at("f"), directory), Errno.NOTDIR, "not a directory");
        files.open(guest.at("d"), directory).close();
        files.open(guest.at("f"), new OpenOptions(false, false, true, false, true))
                .close();
        assertThat(guest.read("f")).isEmpty();
    }

    @Test
    void createsThroughADanglingLink() {
        guest.symlink("tmp/target", "l");
        guest.write("l", "x");
        assertThat(guest.read("tmp/target")).isEqualTo("x");
    }

    @Test
    void keepsAnUnlinkedFileUntilItsLastHandleIsClosed() {
        guest.write("f", "still here");
        FileHandle handle = guest.open("f");
        FileHandle second = guest.open("f");
        guest.unlink("f");
        assertThat(Guest.read(handle)).isEqualTo("still here");
        assertThat(handle.attributes().links()).isZero();
        assertThat(files.usedFiles()).isEqualTo(1);
        assertThat(files.usedBytes()).isPositive();
        handle.close();
        handle.close();
        assertThat(files.usedFiles()).isEqualTo(1);
        second.close();
        assertThat(files.usedFiles()).isZero();
        assertThat(files.usedBytes()).isZero();
        assertRefused(() -> second.read(0, ByteBuffer.allocate(1)), Errno.BADF, "bad file descriptor");
    }

    @Test
    void renamesAsPosixSays() {
        guest.mkdir("d");
        guest.mkdir("d/inner");
        guest.mkdir("empty");
        guest.write("f", "f");
        guest.write("g", "g");
        assertRefused(() -> guest.rename("none", "x"), Errno.NOENT, "no such file");
        assertRefused(() -> guest.rename("f", "d"), Errno.ISDIR, "is a directory");
        assertRefused(() -> guest.rename("d", "f"), Errno.NOTDIR, "not a directory");
        assertRefused(() -> guest.rename("empty", "d"), Errno.NOTEMPTY, "not empty");
        assertRefused(() -> guest.rename("d", "d/inner/x"), Errno.INVAL, "into itself");
        assertRefused(() -> guest.rename("f", "x/"), Errno.NOTDIR, "not a directory");
        assertRefused(() -> guest.rename("f", "dev/null"), Errno.ROFS, "read-only");
        guest.rename("f", "g");
        assertThat(guest.read("g")).isEqualTo("f");
        guest.rename("d", "empty");
        assertThat(files.stat(guest.at("empty/inner")).isDirectory()).isTrue();
        assertQuotaExact(files, List.of());
    }

    @Test
    void leavesTwoNamesOfOneFileAloneWhenOneIsRenamedToTheOther() {
        guest.write("a", "x");
        files.link(guest.at("a"), guest.at("b"));
        guest.rename("a", "b");
        assertThat(guest.read("a")).isEqualTo("x");
        assertThat(files.stat(guest.at("b")).links()).isEqualTo(2);
    }

    @Test
    void countsAFileWithTwoNamesAsTwoFilesAndItsBytesOnce() {
        guest.write("a", "x");
        long bytes = files.usedBytes();
        files.link(guest.at("a"), guest.at("b"));
        assertThat(files.usedBytes()).isEqualTo(bytes);
        assertThat(files.usedFiles()).isEqualTo(2);
        guest.unlink("a");
        assertThat(guest.read("b")).isEqualTo("x");
        assertQuotaExact(files, List.of());
        guest.mkdir("d");
        assertRefused(() -> files.link(guest.at("d"), guest.at("e")), Errno.PERM, "only a regular file");
        assertRefused(() -> files.link(guest.at("b"), guest.at("d")), Errno.EXIST, "file exists");
    }

    @Test
    void removesOnlyWhatIsOfTheRightKind() {
        guest.mkdir("d");
        guest.write("d/f", "");
        assertRefused(() -> guest.unlink("d"), Errno.ISDIR, "is a directory");
        assertRefused(() -> guest.rmdir("d/f"), Errno.NOTDIR, "not a directory");
        assertRefused(() -> guest.rmdir("d"), Errno.NOTEMPTY, "not empty");
        assertRefused(() -> guest.unlink("d/f/"), Errno.NOTDIR, "not a directory");
        guest.unlink("d/f");
        guest.rmdir("d");
        assertRefused(() -> guest.rmdir("d"), Errno.NOENT, "no such file");
    }

    @Test
    void refusesToWorkInADirectoryThatWasRemoved() {
        guest.mkdir("d");
        try (FileHandle directory = guest.open("d")) {
            guest.rmdir("d");
            PathAt inside = new PathAt(directory, "f", false);
            assertRefused(() -> files.createDirectory(inside), Errno.NOENT, "the directory was removed");
            assertThat(directory.list(0, 10)).extracting(DirectoryEntry::name).containsExactly(".", "..");
        }
        assertThat(files.usedFiles()).isZero();
    }

    @Test
    void boundsNamesDepthAndWholePaths() {
        guest.mkdir("x".repeat(255));
        assertRefused(() -> guest.mkdir("x".repeat(256)), Errno.NAMETOOLONG, "256 bytes; the bound is 255");
        assertRefused(() -> guest.mkdir("é".repeat(128)), Errno.NAMETOOLONG, "256 bytes");
        assertRefused(() -> guest.mkdir("a\0b"), Errno.INVAL, "NUL");
        assertRefused(() -> guest.mkdir("\ud800"), Errno.ILSEQ, "not valid Unicode");
        assertRefused(() -> guest.mkdir(""), Errno.NOENT, "the path is empty");
        assertRefused(() -> guest.open("x/".repeat(2049)), Errno.NAMETOOLONG, "at most 4096 bytes");
    }

    @Test
    void refusesTreesDeeperThanTheHostCouldWalk() {
        MemoryFileSystem deep = FileSystems.withBounds(0, 1000);
        Guest digger = new Guest(deep);
        String path = "d";
        for (int depth = 1; depth < 256; depth++) {
            digger.mkdir(path);
            path += "/d";
        }
        digger.mkdir(path);
        String tooDeep = path + "/d";
        assertRefused(() -> digger.mkdir(tooDeep), Errno.NAMETOOLONG, "at most 256 deep");
        digger.mkdir("top");
        assertRefused(() -> digger.rename("d", "top/d"), Errno.NAMETOOLONG, "at most 256 deep");
    }

    @Test
    void refusesPathsThatNoHostPathCouldName() {
        MemoryFileSystem deep = FileSystems.withBounds(0, 1000);
        Guest digger = new Guest(deep);
        String name = "n".repeat(250);
        FileHandle directory = digger.root;
        for (int i = 0; i < 16; i++) {
            deep.createDirectory(new PathAt(directory, name, false));
            directory = deep.open(new PathAt(directory, name, false), OpenOptions.READ);
        }
        FileHandle last = directory;
        assertRefused(
                () -> deep.createDirectory(new PathAt(last, name, false)), Errno.NAMETOOLONG, "at most 4096 bytes");
        deep.createDirectory(new PathAt(last, "short", false));
    }

    @Test
    void takesUpAListingWhereItStoppedWhateverHappenedInBetween() {
        for (String name : List.of("a", "b", "c", "d")) {
            guest.mkdir("tmp/" + name);
        }
        try (FileHandle tmp = guest.open("tmp")) {
            List<DirectoryEntry> first = tmp.list(0, 4);
            assertThat(first).extracting(DirectoryEntry::name).containsExactly(".", "..", "a", "b");
            guest.rmdir("tmp/a");
            guest.rmdir("tmp/c");
            guest.mkdir("tmp/e");
            assertThat(tmp.list(first.getLast().cookie() + 1, 10))
                    .extracting(DirectoryEntry::name)
                    .containsExactly("d", "e");
            assertThat(tmp.list(Long.MAX_VALUE, 10)).isEmpty();
        }
        try (FileHandle file = guest.create("f")) {
            assertRefused(() -> file.list(0, 1), Errno.NOTDIR, "not a directory");
        }
    }

    @Test
    void sharesMountedFilesWithoutCountingThemAndWithoutLettingThemChange() {
        ByteBuffer shared = ByteBuffer.allocateDirect(6)
                .put("shared".getBytes(StandardCharsets.UTF_8))
                .flip();
        files.mountReadOnly(new GuestPath("/lib/python/std.zip"), shared);
        assertThat(files.usedFiles()).isZero();
        assertThat(files.usedBytes()).isZero();
        assertThat(guest.read("lib/python/std.zip")).isEqualTo("shared");
        assertRefused(() -> guest.create("lib/python/std.zip"), Errno.ROFS, "read-only");
        assertRefused(() -> guest.unlink("lib/python/std.zip"), Errno.ROFS, "read-only");
        assertRefused(() -> guest.rename("lib/python/std.zip", "x"), Errno.ROFS, "read-only");
        assertRefused(() -> guest.rename("lib/python", "x"), Errno.BUSY, "part of every sandbox");
        guest.write("f", "");
        assertRefused(() -> guest.rename("f", "lib/python/std.zip"), Errno.ROFS, "read-only");
        assertRefused(() -> files.setTimes(guest.at("lib/python/std.zip"), new Times(1, 1)), Errno.ROFS, "read-only");
        try (FileHandle handle = guest.open("lib/python/std.zip")) {
            assertRefused(() -> handle.write(0, utf8("x")), Errno.ROFS, "read-only");
            assertRefused(() -> handle.resize(0), Errno.ROFS, "read-only");
            assertThat(handle.read(6, ByteBuffer.allocate(1))).isZero();
            assertThat(handle.read(Long.MAX_VALUE, ByteBuffer.allocate(1))).isZero();
        }
    }

    @Test
    void hasDevicesForNothingZerosAndRandomBytes() {
        try (FileHandle nothing = guest.create("dev/null");
                FileHandle zeros = guest.open("dev/zero");
                FileHandle random = guest.open("dev/urandom")) {
            assertThat(nothing.write(0, utf8("gone"))).isEqualTo(4);
            assertThat(nothing.read(0, ByteBuffer.allocate(10))).isZero();
            ByteBuffer target = ByteBuffer.allocate(100_000);
            assertThat(zeros.read(7, target)).isEqualTo(65_536);
            assertThat(random.read(0, ByteBuffer.allocate(16))).isEqualTo(16);
            assertThat(zeros.attributes().type()).isEqualTo(FileEntry.Type.OTHER);
        }
        assertThat(files.usedBytes()).isZero();
    }

    @Test
    void setsTimes() {
        guest.write("f", "");
        files.setTimes(guest.at("f"), new Times(123, Times.KEEP));
        assertThat(files.stat(guest.at("f")).accessedNanos()).isEqualTo(123);
        files.setTimes(guest.at("f"), new Times(Times.NOW, 456));
        Attributes attributes = files.stat(guest.at("f"));
        assertThat(attributes.accessedNanos()).isEqualTo(FileSystems.START.toEpochMilli() * 1_000_000);
        assertThat(attributes.modifiedNanos()).isEqualTo(456);
    }

    @Test
    void takesNewBoundsWithoutTakingAnythingAway() {
        guest.write("f", "x".repeat(10_000));
        files.limit(FileSystems.limits(0, 1));
        assertThat(guest.read("f")).hasSize(10_000);
        assertRefused(() -> guest.mkdir("d"), Errno.NOSPC, "bound of 1 files");
        files.limit(FileSystems.limits(1_000_000, 10));
        guest.mkdir("d");
    }
}
