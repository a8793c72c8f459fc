package dev.glovebox.cell.fs;

import static dev.glovebox.cell.fs.FileSystems.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PathWalkTest {
    private final MemoryFileSystem files = FileSystems.withBounds(1_000_000, 200);
    private final Guest guest = new Guest(files);

    @BeforeEach
    void makeATree() {
        guest.mkdir("a");
        guest.mkdir("a/b");
        guest.write("a/b/inside", "inside");
        guest.write("secret", "secret");
    }

    private String readBelow(String directory, String path) {
        try (FileHandle base = guest.open(directory);
                FileHandle file = files.open(new PathAt(base, path, true), OpenOptions.READ)) {
            return Guest.read(file);
        }
    }

    @Test
    void resolvesBelowAnOpenDirectory() {
        assertThat(readBelow("a", "b/inside")).isEqualTo("inside");
        assertThat(readBelow("a", "./b//.././b/inside")).isEqualTo("inside");
    }

    @Test
    void refusesAnAbsolutePath() {
        assertRefused(() -> guest.open("/secret"), Errno.NOTCAPABLE, "the path is absolute");
    }

    @Test
    void refusesToClimbOutOfTheDirectory() {
        assertRefused(() -> readBelow("a", "../secret"), Errno.NOTCAPABLE, "climbs out");
        assertRefused(() -> readBelow("a", "b/../../secret"), Errno.NOTCAPABLE, "climbs out");
        assertRefused(() -> readBelow("a/b", "../b/inside"), Errno.NOTCAPABLE, "climbs out");
        assertRefused(() -> guest.open(".."), Errno.NOTCAPABLE, "climbs out");
        assertRefused(() -> guest.open("a/../../secret"), Errno.NOTCAPABLE, "climbs out");
    }

    @Test
    void refusesLinksThatLeadOutOfTheDirectory() {
        guest.symlink("../secret", "a/up");
        guest.symlink("/secret", "a/absolute");
        guest.symlink("/a", "a/b/top");
        assertRefused(() -> readBelow("a", "up"), Errno.NOTCAPABLE, "climbs out");
        assertRefused(() -> readBelow("a", "absolute"), Errno.NOTCAPABLE, "leads out");
        assertRefused(() -> readBelow("a", "b/top/b/inside"), Errno.NOTCAPABLE, "leads out");
    }

    @Test
    void resolvesLinksFromTheSandboxRootWhenTheDirectoryIsTheRoot() {
        guest.symlink("/secret", "a/absolute");
        guest.symlink("../secret", "a/up");
        guest.symlink("../../../../../../secret", "a/high");
        guest.symlink("/", "a/root");
        assertThat(guest.read("a/absolute")).isEqualTo("secret");
        assertThat(guest.read("a/up")).isEqualTo("secret");
        assertThat(guest.read("a/high")).isEqualTo("secret");
        assertThat(guest.read("a/root/a/root/secret")).isEqualTo("secret");
        assertRefused(() -> guest.open("a/root/.."), Errno.NOTCAPABLE, "climbs out");
    }

    @Test
    void seesNamesOfTheHostAsNamesInTheSandbox() {
        guest.symlink("/etc/passwd", "a/passwd");
        guest.symlink("/proc/self/root", "a/proc");
        assertRefused(() -> guest.open("a/passwd"), Errno.NOENT, "no such file");
        assertRefused(() -> guest.open("a/proc"), Errno.NOENT, "no such file");
    }

    @Test
    void followsTheLastLinkOnlyWhenAsked() {
        guest.symlink("a/b/inside", "l");
        assertThat(files.stat(guest.at("l")).size()).isEqualTo("a/b/inside".length());
        assertThat(files.stat(guest.following("l")).size()).isEqualTo("inside".length());
        assertThat(files.readLink(guest.at("l"))).isEqualTo("a/b/inside");
        assertRefused(() -> files.readLink(guest.at("secret")), Errno.INVAL, "not a symbolic link");
    }

    @Test
    void followsALinkBeforeASlash() {
        guest.symlink("a", "l");
        assertThat(files.stat(guest.at("l/")).isDirectory()).isTrue();
        assertThat(files.stat(guest.at("l/.")).isDirectory()).isTrue();
        guest.symlink("secret", "s");
        assertRefused(() -> files.stat(guest.at("s/")), Errno.NOTDIR, "not a directory");
    }

    @Test
    void endsLoopsOfLinks() {
        guest.symlink("two", "one");
        guest.symlink("one", "two");
        guest.symlink("self/x", "self");
        assertRefused(() -> guest.open("one"), Errno.LOOP, "goes through at most 40");
        assertRefused(() -> guest.open("self"), Errno.LOOP, "goes through at most 40");
    }

    @Test
    void followsFortyLinksAndNoMore() {
        guest.symlink("secret", "l0");
        for (int i = 1; i <= 40; i++) {
            guest.symlink("l" + (i - 1), "l" + i);
        }
        assertThat(guest.read("l39")).isEqualTo("secret");
        assertRefused(() -> guest.open("l40"), Errno.LOOP, "goes through at most 40");
    }

    @Test
    void boundsTheWorkOfLinksThatMultiply() {
        // Each link holds the next ten times; without a bound this would be 10^10 steps.
        guest.mkdir("d");
        for (int i = 0; i < 10; i++) {
            guest.symlink(("../l" + (i + 1) + "/").repeat(10), "l" + i);
        }
        guest.symlink("d", "l10");
        assertRefused(() -> guest.open("l0"), Errno.LOOP, "goes through at most 40");
    }

    @Test
    void tellsAFileInTheMiddleFromNothingInTheMiddle() {
        assertRefused(() -> guest.open("secret/x"), Errno.NOTDIR, "not a directory");
        assertRefused(() -> guest.open("none/x"), Errno.NOENT, "no such file");
        assertRefused(() -> guest.open("secret/"), Errno.NOTDIR, "not a directory");
    }

    @Test
    void refusesEmptyAndOverlongLinkTargets() {
        assertRefused(() -> guest.symlink("", "l"), Errno.NOENT, "target of the link is empty");
        assertRefused(() -> guest.symlink("x".repeat(4097), "l"), Errno.NAMETOOLONG, "at most 4096 bytes");
        assertRefused(() -> guest.symlink("x", "a"), Errno.EXIST, "file exists");
        assertRefused(() -> guest.symlink("x", "new/"), Errno.NOENT, "ends in a slash");
    }
}
