package dev.glovebox.cell.wasi;

import static dev.glovebox.cell.wasi.TestGuest.BUFFER;
import static dev.glovebox.cell.wasi.TestGuest.OTHER_PATH;
import static dev.glovebox.cell.wasi.TestGuest.PATH;
import static dev.glovebox.cell.wasi.TestGuest.RESULT;
import static dev.glovebox.cell.wasi.TestGuest.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.core.GuestPath;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PathCallsTest {
    private static final int CREATE = 1;
    private static final int DIRECTORY = 2;
    private static final int EXCLUSIVE = 4;
    private static final int TRUNCATE = 8;

    private final TestGuest guest = new TestGuest();

    private Errno onPath(WasiFunction function, String path) {
        return guest.call(function, ROOT, PATH, guest.string(PATH, path));
    }

    private Errno onPaths(WasiFunction function, String first, String second) {
        int firstLength = guest.string(PATH, first);
        int secondLength = guest.string(OTHER_PATH, second);
        return switch (function) {
            case PATH_RENAME -> guest.call(function, ROOT, PATH, firstLength, ROOT, OTHER_PATH, secondLength);
            case PATH_LINK -> guest.call(function, ROOT, 0, PATH, firstLength, ROOT, OTHER_PATH, secondLength);
            case PATH_SYMLINK -> guest.call(function, PATH, firstLength, ROOT, OTHER_PATH, secondLength);
            default -> throw new IllegalArgumentException(function.importName());
        };
    }

    private Errno stat(String path, int lookup) {
        return guest.call(WasiFunction.PATH_FILESTAT_GET, ROOT, lookup, PATH, guest.string(PATH, path), RESULT);
    }

    @Test
    void opensAsTheFlagsSay() {
        assertThat(guest.open("f", 0, 0)).isEqualTo(Errno.NOENT);
        guest.created("f", "content");
        assertThat(guest.open("f", CREATE | EXCLUSIVE, 0)).isEqualTo(Errno.EXIST);
        assertThat(guest.open("f", DIRECTORY, 0)).isEqualTo(Errno.NOTDIR);
        assertThat(guest.read(guest.opened("f", CREATE))).isEqualTo("content");
        assertThat(guest.read(guest.opened("f", TRUNCATE))).isEmpty();
        assertThat(guest.open("f", 16, 0)).isEqualTo(Errno.INVAL);
        assertThat(guest.open("f", 0, 32)).isEqualTo(Errno.INVAL);
    }

    @Test
    void opensADirectoryForReadingOnly() {
        assertThat(guest.open("tmp", 0, 0)).isEqualTo(Errno.ISDIR);
        assertThat(guest.open(ROOT, "tmp", 0, Rights.ALL & ~Rights.FD_WRITE, 0)).isEqualTo(Errno.SUCCESS);
        int fd = guest.memory.getInt(RESULT);
        guest.succeed(WasiFunction.FD_FDSTAT_GET, fd, RESULT);
        assertThat(guest.memory.getLong(RESULT + 8)).isEqualTo(Rights.DIRECTORY);
        assertThat(guest.memory.getLong(RESULT + 16)).isEqualTo(Rights.ALL);
    }

    @Test
    void opensReadOnlyAsWasiLibcDoes() {
        guest.created("f", "x");
        long readOnly =
                Rights.ALL & ~(Rights.FD_WRITE | Rights.FD_DATASYNC | Rights.FD_ALLOCATE | Rights.FD_FILESTAT_SET_SIZE);
        assertThat(guest.open(ROOT, "f", 0, readOnly, 0)).isEqualTo(Errno.SUCCESS);
        int fd = guest.memory.getInt(RESULT);
        assertThat(guest.read(fd)).isEqualTo("x");
        assertThat(guest.call(WasiFunction.FD_WRITE, fd, 0, 0, RESULT)).isEqualTo(Errno.NOTCAPABLE);
        assertThat(guest.call(WasiFunction.FD_FILESTAT_SET_SIZE, fd, 0)).isEqualTo(Errno.NOTCAPABLE);
    }

    @Test
    void ignoresRightsThatDoNotExist() {
        assertThat(guest.open(ROOT, "f", CREATE, -1, 0)).isEqualTo(Errno.SUCCESS);
        guest.succeed(WasiFunction.FD_FDSTAT_GET, guest.memory.getInt(RESULT), RESULT);
        assertThat(guest.memory.getLong(RESULT + 8)).isEqualTo(Rights.FILE);
    }

    @Test
    void leavesNothingBehindWhenTheResultHasNoPlace() {
        int length = guest.string(PATH, "f");
        assertThat(guest.call(WasiFunction.PATH_OPEN, ROOT, 0, PATH, length, CREATE, 0, 0, 0, -1))
                .isEqualTo(Errno.FAULT);
        assertThat(guest.files.usedFiles()).isZero();
        assertThat(guest.opened("tmp", DIRECTORY)).isEqualTo(5);
    }

    @Test
    void keepsEveryPathBelowItsDirectory() {
        guest.created("secret", "x");
        int tmp = guest.opened("tmp", DIRECTORY);
        for (String path : new String[] {"/secret", "../secret", "../tmp", "x/../../secret"}) {
            onPath(WasiFunction.PATH_CREATE_DIRECTORY, "tmp/x");
            assertThat(guest.open(tmp, path, 0, 0, 0)).as(path).isEqualTo(Errno.NOTCAPABLE);
        }
        assertThat(guest.open("/secret", 0, 0)).isEqualTo(Errno.NOTCAPABLE);
        assertThat(guest.open("../secret", 0, 0)).isEqualTo(Errno.NOTCAPABLE);
        assertThat(onPaths(WasiFunction.PATH_SYMLINK, "/secret", "tmp/l")).isEqualTo(Errno.SUCCESS);
        assertThat(guest.open(tmp, "l", 0, 0, 0)).isEqualTo(Errno.NOTCAPABLE);
        assertThat(guest.open("tmp/l", 0, 0)).isEqualTo(Errno.SUCCESS);
    }

    @Test
    void followsALinkOnlyWhenAsked() {
        guest.created("f", "12345");
        assertThat(onPaths(WasiFunction.PATH_SYMLINK, "f", "l")).isEqualTo(Errno.SUCCESS);
        assertThat(stat("l", 1)).isEqualTo(Errno.SUCCESS);
        assertThat(guest.memory.get(RESULT + 16)).isEqualTo((byte) FileType.REGULAR_FILE);
        assertThat(stat("l", 0)).isEqualTo(Errno.SUCCESS);
        assertThat(guest.memory.get(RESULT + 16)).isEqualTo((byte) FileType.SYMBOLIC_LINK);
        assertThat(stat("l", 2)).isEqualTo(Errno.INVAL);
        int length = guest.string(PATH, "l");
        assertThat(guest.call(WasiFunction.PATH_OPEN, ROOT, 0, PATH, length, 0, 0, 0, 0, RESULT))
                .isEqualTo(Errno.LOOP);
    }

    @Test
    void readsALinkIntoABufferThatMayBeTooSmall() {
        assertThat(onPaths(WasiFunction.PATH_SYMLINK, "some/target", "l")).isEqualTo(Errno.SUCCESS);
        int length = guest.string(PATH, "l");
        guest.succeed(WasiFunction.PATH_READLINK, ROOT, PATH, length, BUFFER, 100, RESULT);
        assertThat(guest.string(BUFFER, guest.memory.getInt(RESULT))).isEqualTo("some/target");
        guest.succeed(WasiFunction.PATH_READLINK, ROOT, PATH, length, BUFFER, 4, RESULT);
        assertThat(guest.string(BUFFER, guest.memory.getInt(RESULT))).isEqualTo("some");
        assertThat(guest.call(WasiFunction.PATH_READLINK, ROOT, PATH, guest.string(PATH, "tmp"), BUFFER, 4, RESULT))
                .isEqualTo(Errno.INVAL);
    }

    @Test
    void makesMovesLinksAndRemoves() {
        assertThat(onPath(WasiFunction.PATH_CREATE_DIRECTORY, "d")).isEqualTo(Errno.SUCCESS);
        assertThat(onPath(WasiFunction.PATH_CREATE_DIRECTORY, "d")).isEqualTo(Errno.EXIST);
        guest.created("d/f", "x");
        assertThat(onPath(WasiFunction.PATH_REMOVE_DIRECTORY, "d")).isEqualTo(Errno.NOTEMPTY);
        assertThat(onPaths(WasiFunction.PATH_LINK, "d/f", "g")).isEqualTo(Errno.SUCCESS);
        assertThat(onPaths(WasiFunction.PATH_RENAME, "d/f", "h")).isEqualTo(Errno.SUCCESS);
        assertThat(onPath(WasiFunction.PATH_UNLINK_FILE, "d")).isEqualTo(Errno.ISDIR);
        assertThat(onPath(WasiFunction.PATH_REMOVE_DIRECTORY, "d")).isEqualTo(Errno.SUCCESS);
        assertThat(guest.read(guest.opened("g", 0))).isEqualTo("x");
        assertThat(onPath(WasiFunction.PATH_UNLINK_FILE, "g")).isEqualTo(Errno.SUCCESS);
        assertThat(onPath(WasiFunction.PATH_UNLINK_FILE, "g")).isEqualTo(Errno.NOENT);
        assertThat(stat("h", 0)).isEqualTo(Errno.SUCCESS);
    }

    @Test
    void setsTimesOfAPath() {
        guest.created("f", "");
        int length = guest.string(PATH, "f");
        guest.succeed(WasiFunction.PATH_FILESTAT_SET_TIMES, ROOT, 0, PATH, length, 1L << 33, 1L << 34, 5);
        assertThat(stat("f", 0)).isEqualTo(Errno.SUCCESS);
        assertThat(guest.memory.getLong(RESULT + 40)).isEqualTo(1L << 33);
        assertThat(guest.memory.getLong(RESULT + 48)).isEqualTo(1L << 34);
    }

    @Test
    void refusesToWriteToASharedFile() {
        guest.files.mountReadOnly(new GuestPath("/lib/std.zip"), ByteBuffer.wrap(new byte[] {'z'}));
        assertThat(guest.open("lib/std.zip", 0, 0)).isEqualTo(Errno.ROFS);
        assertThat(guest.open(ROOT, "lib/std.zip", TRUNCATE, Rights.FD_READ, 0)).isEqualTo(Errno.ROFS);
        assertThat(onPath(WasiFunction.PATH_UNLINK_FILE, "lib/std.zip")).isEqualTo(Errno.ROFS);
        assertThat(guest.open(ROOT, "lib/std.zip", 0, Rights.FD_READ, 0)).isEqualTo(Errno.SUCCESS);
        assertThat(guest.read(guest.memory.getInt(RESULT))).isEqualTo("z");
    }

    @Test
    void refusesPathsThatAreNoText() {
        guest.memory.put(PATH, new byte[] {(byte) 0xc3, (byte) 0x28});
        assertThat(guest.call(WasiFunction.PATH_CREATE_DIRECTORY, ROOT, PATH, 2))
                .isEqualTo(Errno.ILSEQ);
        guest.memory.put(PATH, new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80});
        assertThat(guest.call(WasiFunction.PATH_CREATE_DIRECTORY, ROOT, PATH, 3))
                .isEqualTo(Errno.ILSEQ);
        assertThat(onPath(WasiFunction.PATH_CREATE_DIRECTORY, "a\0b")).isEqualTo(Errno.INVAL);
        assertThat(onPath(WasiFunction.PATH_CREATE_DIRECTORY, "")).isEqualTo(Errno.NOENT);
        assertThat(guest.call(WasiFunction.PATH_CREATE_DIRECTORY, ROOT, 0, 4097))
                .isEqualTo(Errno.NAMETOOLONG);
        assertThat(guest.call(WasiFunction.PATH_CREATE_DIRECTORY, ROOT, -1, 1)).isEqualTo(Errno.FAULT);
        assertThat(guest.call(WasiFunction.PATH_CREATE_DIRECTORY, ROOT, TestGuest.MEMORY_BYTES - 1, 2))
                .isEqualTo(Errno.FAULT);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_ANY,
            names = {"PATH_.*"})
    void needADirectoryToStartFrom(WasiFunction function) {
        int file = guest.created("f", "");
        for (int fd : new int[] {0, file}) {
            long[] values = new long[function.parameters().length()];
            values[function == WasiFunction.PATH_SYMLINK ? 2 : 0] = fd;
            assertThat(guest.call(function, values)).isEqualTo(Errno.NOTDIR);
        }
    }
}
