package dev.glovebox.cell.wasi;

import static dev.glovebox.cell.wasi.TestGuest.BUFFER;
import static dev.glovebox.cell.wasi.TestGuest.RESULT;
import static dev.glovebox.cell.wasi.TestGuest.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.core.Limits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DescriptorCallsTest {
    private final TestGuest guest = new TestGuest();

    private int type(int fd) {
        guest.succeed(WasiFunction.FD_FDSTAT_GET, fd, RESULT);
        return guest.memory.get(RESULT);
    }

    private long rights(int fd) {
        guest.succeed(WasiFunction.FD_FDSTAT_GET, fd, RESULT);
        return guest.memory.getLong(RESULT + 8);
    }

    @Test
    void showsStreamsAsPipesAndTheRootAsADirectory() {
        assertThat(List.of(type(0), type(1), type(2), type(3), type(4)))
                .containsExactly(
                        FileType.UNKNOWN,
                        FileType.UNKNOWN,
                        FileType.UNKNOWN,
                        FileType.DIRECTORY,
                        FileType.CHARACTER_DEVICE);
        assertThat(guest.call(WasiFunction.FD_FDSTAT_GET, 5, RESULT)).isEqualTo(Errno.BADF);
    }

    @Test
    void letsNoStreamSeekSoThatItIsNoFile() {
        for (int fd : new int[] {0, 1, 2, 4}) {
            assertThat(rights(fd) & (Rights.FD_SEEK | Rights.FD_TELL)).isZero();
        }
    }

    @Test
    void tellsThatTheRootIsPreopenedAndNothingElse() {
        guest.succeed(WasiFunction.FD_PRESTAT_GET, ROOT, RESULT);
        assertThat(guest.memory.getLong(RESULT)).isEqualTo(1L << 32);
        guest.succeed(WasiFunction.FD_PRESTAT_DIR_NAME, ROOT, BUFFER, 1);
        assertThat(guest.string(BUFFER, 1)).isEqualTo("/");
        assertThat(guest.call(WasiFunction.FD_PRESTAT_DIR_NAME, ROOT, BUFFER, 0))
                .isEqualTo(Errno.NAMETOOLONG);
        for (int fd : new int[] {0, 4, 5, guest.opened("tmp", 2)}) {
            assertThat(guest.call(WasiFunction.FD_PRESTAT_GET, fd, RESULT)).isEqualTo(Errno.BADF);
        }
    }

    @Test
    void opensTheLowestFreeNumberUpToTheBound() {
        assertThat(guest.opened("tmp", 2)).isEqualTo(5);
        assertThat(guest.opened("tmp", 2)).isEqualTo(6);
        guest.succeed(WasiFunction.FD_CLOSE, 5);
        guest.succeed(WasiFunction.FD_CLOSE, 0);
        assertThat(guest.opened("tmp", 2)).isZero();
        assertThat(guest.opened("tmp", 2)).isEqualTo(5);
        for (int fd = 7; fd < Limits.OPEN_FILES_MAX; fd++) {
            assertThat(guest.opened("tmp", 2)).isEqualTo(fd);
        }
        assertThat(guest.open("new", 1, 0)).isEqualTo(Errno.MFILE);
        guest.succeed(WasiFunction.FD_CLOSE, 100);
        assertThat(guest.open("new", 0, 0)).isEqualTo(Errno.NOENT);
    }

    @Test
    void renumbersAndClosesWhatWasThere() {
        int from = guest.created("a", "content of a");
        int to = guest.created("b", "");
        guest.succeed(WasiFunction.PATH_UNLINK_FILE, ROOT, TestGuest.PATH, guest.string(TestGuest.PATH, "b"));
        assertThat(guest.files.usedFiles()).isEqualTo(2);
        guest.succeed(WasiFunction.FD_RENUMBER, from, to);
        assertThat(guest.files.usedFiles()).isEqualTo(1);
        guest.succeed(WasiFunction.FD_SEEK, to, 0, 0, RESULT);
        assertThat(guest.read(to)).isEqualTo("content of a");
        assertThat(guest.call(WasiFunction.FD_TELL, from, RESULT)).isEqualTo(Errno.BADF);
        assertThat(guest.call(WasiFunction.FD_RENUMBER, to, 99)).isEqualTo(Errno.BADF);
        assertThat(guest.call(WasiFunction.FD_RENUMBER, 99, to)).isEqualTo(Errno.BADF);
        guest.succeed(WasiFunction.FD_RENUMBER, to, to);
        assertThat(guest.read(to)).isEmpty();
    }

    @Test
    void closesEverythingAtTheEnd() {
        guest.created("a", "x");
        guest.succeed(WasiFunction.PATH_UNLINK_FILE, ROOT, TestGuest.PATH, guest.string(TestGuest.PATH, "a"));
        assertThat(guest.files.usedFiles()).isEqualTo(1);
        guest.close();
        guest.close();
        assertThat(guest.files.usedFiles()).isZero();
        assertThat(guest.call(WasiFunction.FD_FDSTAT_GET, 1, RESULT)).isEqualTo(Errno.BADF);
    }

    @Test
    void letsRightsOnlyBeGivenUp() {
        int fd = guest.created("f", "");
        guest.succeed(WasiFunction.FD_FDSTAT_SET_RIGHTS, fd, Rights.FD_READ | Rights.FD_SEEK, 0);
        assertThat(rights(fd)).isEqualTo(Rights.FD_READ | Rights.FD_SEEK);
        assertThat(guest.call(WasiFunction.FD_FDSTAT_SET_RIGHTS, fd, Rights.FILE, 0))
                .isEqualTo(Errno.NOTCAPABLE);
        assertThat(guest.call(WasiFunction.FD_WRITE, fd, 0, 0, RESULT)).isEqualTo(Errno.NOTCAPABLE);
        assertThat(guest.call(WasiFunction.FD_TELL, fd, RESULT)).isEqualTo(Errno.NOTCAPABLE);
    }

    @Test
    void givesDescriptorsBelowADirectoryNoMoreThanItMayHandOn() {
        int directory = guest.opened("tmp", 2);
        guest.succeed(WasiFunction.FD_FDSTAT_SET_RIGHTS, directory, Rights.DIRECTORY, Rights.FD_READ);
        guest.created("tmp/f", "x");
        assertThat(guest.open(directory, "f", 0, Rights.ALL, 0)).isEqualTo(Errno.NOTCAPABLE);
        int length = guest.string(TestGuest.PATH, "f");
        guest.succeed(WasiFunction.PATH_OPEN, directory, 0, TestGuest.PATH, length, 0, Rights.FD_READ, 0, 0, RESULT);
        int fd = guest.memory.getInt(RESULT);
        assertThat(guest.read(fd)).isEqualTo("x");
        assertThat(guest.call(WasiFunction.FD_WRITE, fd, 0, 0, RESULT)).isEqualTo(Errno.NOTCAPABLE);
        guest.succeed(WasiFunction.FD_FDSTAT_SET_RIGHTS, directory, 0, 0);
        assertThat(guest.open(directory, "f", 0, 0, 0)).isEqualTo(Errno.NOTCAPABLE);
    }

    @Test
    void setsFlagsThatExist() {
        int fd = guest.created("f", "one");
        guest.succeed(WasiFunction.FD_FDSTAT_SET_FLAGS, fd, Descriptor.FLAG_APPEND);
        guest.succeed(WasiFunction.FD_SEEK, fd, 0, 0, RESULT);
        guest.write(fd, " two");
        guest.succeed(WasiFunction.FD_TELL, fd, RESULT);
        assertThat(guest.memory.getLong(RESULT)).isEqualTo(7);
        assertThat(guest.call(WasiFunction.FD_FDSTAT_SET_FLAGS, fd, 32)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.FD_FDSTAT_SET_FLAGS, 0, Descriptor.FLAG_NONBLOCK))
                .isEqualTo(Errno.NOTSUP);
    }

    @Test
    void describesFilesAndStreams() {
        int fd = guest.created("f", "12345");
        guest.succeed(WasiFunction.FD_FILESTAT_GET, fd, RESULT);
        assertThat(guest.memory.get(RESULT + 16)).isEqualTo((byte) FileType.REGULAR_FILE);
        assertThat(guest.memory.getLong(RESULT + 24)).isEqualTo(1);
        assertThat(guest.memory.getLong(RESULT + 32)).isEqualTo(5);
        assertThat(guest.memory.getLong(RESULT + 48)).isEqualTo(TestGuest.NOW_NANOS / 1_000_000 * 1_000_000);
        guest.succeed(WasiFunction.FD_FILESTAT_GET, 0, RESULT);
        assertThat(guest.memory.get(RESULT + 16)).isEqualTo((byte) FileType.UNKNOWN);
        assertThat(guest.memory.getLong(RESULT + 32)).isZero();
    }

    @Test
    void setsTimesAsTheFlagsSay() {
        int fd = guest.created("f", "");
        guest.succeed(WasiFunction.FD_FILESTAT_SET_TIMES, fd, 111, 222, 1 | 4);
        guest.succeed(WasiFunction.FD_FILESTAT_GET, fd, RESULT);
        assertThat(guest.memory.getLong(RESULT + 40)).isEqualTo(111);
        assertThat(guest.memory.getLong(RESULT + 48)).isEqualTo(222);
        guest.succeed(WasiFunction.FD_FILESTAT_SET_TIMES, fd, 0, 0, 8);
        guest.succeed(WasiFunction.FD_FILESTAT_GET, fd, RESULT);
        assertThat(guest.memory.getLong(RESULT + 40)).isEqualTo(111);
        assertThat(guest.memory.getLong(RESULT + 48)).isEqualTo(TestGuest.NOW_NANOS / 1_000_000 * 1_000_000);
        for (int flags : new int[] {1 | 2, 4 | 8, 16}) {
            assertThat(guest.call(WasiFunction.FD_FILESTAT_SET_TIMES, fd, 0, 0, flags))
                    .isEqualTo(Errno.INVAL);
        }
        assertThat(guest.call(WasiFunction.FD_FILESTAT_SET_TIMES, 1, 0, 0, 0)).isEqualTo(Errno.INVAL);
    }

    @Test
    void syncsWhatIsAFileAndTakesAdviceThatExists() {
        int fd = guest.created("f", "");
        guest.succeed(WasiFunction.FD_SYNC, fd);
        guest.succeed(WasiFunction.FD_DATASYNC, fd);
        guest.succeed(WasiFunction.FD_SYNC, ROOT);
        assertThat(guest.call(WasiFunction.FD_SYNC, 1)).isEqualTo(Errno.INVAL);
        guest.succeed(WasiFunction.FD_ADVISE, fd, 0, 0, 5);
        assertThat(guest.call(WasiFunction.FD_ADVISE, fd, 0, 0, 6)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.FD_ADVISE, fd, -1, 0, 0)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.FD_ADVISE, ROOT, 0, 0, 0)).isEqualTo(Errno.ISDIR);
    }

    @Test
    void listsADirectoryThroughABufferOfAnySize() {
        for (String name : List.of("alpha", "b", "a-longer-name", "é")) {
            guest.created("tmp/" + name, "");
        }
        int fd = guest.opened("tmp", 2);
        for (int size : new int[] {24 + 13, 38, 50, 63, 64, 100, 1000}) {
            assertThat(readdir(fd, size)).containsExactly(".", "..", "alpha", "b", "a-longer-name", "é");
        }
        guest.succeed(WasiFunction.FD_READDIR, fd, BUFFER, 5, 0, RESULT);
        assertThat(guest.memory.getInt(RESULT)).isEqualTo(5);
        guest.succeed(WasiFunction.FD_READDIR, fd, BUFFER, 0, 0, RESULT);
        assertThat(guest.memory.getInt(RESULT)).isZero();
        guest.succeed(WasiFunction.FD_READDIR, fd, BUFFER, 1000, -1, RESULT);
        assertThat(guest.memory.getInt(RESULT)).isZero();
    }

    /// Reads a directory as wasi-libc does: an entry that is cut off is asked for again.
    private List<String> readdir(int fd, int bufferBytes) {
        List<String> names = new ArrayList<>();
        long cookie = 0;
        int used;
        do {
            guest.succeed(WasiFunction.FD_READDIR, fd, BUFFER, bufferBytes, cookie, RESULT);
            used = guest.memory.getInt(RESULT);
            int at = 0;
            while (used - at >= 24 && used - at - 24 >= guest.memory.getInt(BUFFER + at + 16)) {
                int length = guest.memory.getInt(BUFFER + at + 16);
                cookie = guest.memory.getLong(BUFFER + at);
                names.add(guest.string(BUFFER + at + 24, length));
                at += 24 + length;
            }
        } while (used == bufferBytes);
        return names;
    }

    @Test
    void listsALargeDirectoryOnceEach() {
        List<String> expected = new ArrayList<>(List.of(".", ".."));
        for (int i = 0; i < 300; i++) {
            guest.succeed(WasiFunction.FD_CLOSE, guest.created("tmp/file" + i, ""));
            expected.add("file" + i);
        }
        int fd = guest.opened("tmp", 2);
        assertThat(readdir(fd, 4096)).isEqualTo(expected);
        assertThat(readdir(fd, 60_000)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_ANY,
            names = {"FD_.*", "SOCK_.*"})
    void refusesDescriptorsThatAreNotOpen(WasiFunction function) {
        for (long fd : new long[] {99, 255, 256, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            long[] values = new long[function.parameters().length()];
            values[0] = fd;
            assertThat(guest.call(function, values)).isEqualTo(Errno.BADF);
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_ANY,
            names = {"SOCK_.*"})
    void hasNoSockets(WasiFunction function) {
        long[] values = new long[function.parameters().length()];
        values[0] = ROOT;
        assertThat(guest.call(function, values)).isEqualTo(Errno.NOTSOCK);
    }
}
