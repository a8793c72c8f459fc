package dev.glovebox.cell.wasi;

import static dev.glovebox.cell.wasi.TestGuest.BUFFER;
import static dev.glovebox.cell.wasi.TestGuest.RESULT;
import static dev.glovebox.cell.wasi.TestGuest.ROOT;
import static dev.glovebox.cell.wasi.TestGuest.VECTORS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.glovebox.cell.fs.Errno;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TransferCallsTest {
    private final TestGuest guest = new TestGuest();

    private Errno read(int fd, int count) {
        return guest.call(WasiFunction.FD_READ, fd, VECTORS, count, RESULT);
    }

    private Errno seek(int fd, long delta, int whence) {
        return guest.call(WasiFunction.FD_SEEK, fd, delta, whence, RESULT);
    }

    @Test
    void writesOutputToItsStreamInOnePiece() {
        guest.string(BUFFER, "hello, world");
        guest.succeed(WasiFunction.FD_WRITE, 1, VECTORS, guest.vectors(BUFFER, 7, BUFFER + 7, 5, 0, 0), RESULT);
        assertThat(guest.memory.getInt(RESULT)).isEqualTo(12);
        guest.write(2, "error");
        guest.write(4, "result");
        assertThat(guest.output.toString(StandardCharsets.UTF_8)).isEqualTo("hello, world");
        assertThat(guest.error.toString(StandardCharsets.UTF_8)).isEqualTo("error");
        assertThat(guest.result.toString(StandardCharsets.UTF_8)).isEqualTo("result");
    }

    @Test
    void writesMoreOutputThanItsBufferHolds() {
        for (int i = 0; i < 100_000; i++) {
            guest.memory.put(BUFFER + i, (byte) i);
        }
        guest.succeed(
                WasiFunction.FD_WRITE, 1, VECTORS, guest.vectors(BUFFER, 60_000, BUFFER + 60_000, 40_000), RESULT);
        assertThat(guest.memory.getInt(RESULT)).isEqualTo(100_000);
        byte[] expected = new byte[100_000];
        guest.memory.get(BUFFER, expected);
        assertThat(guest.output.toByteArray()).isEqualTo(expected);
    }

    @Test
    void readsInputAsItComesAndThenItsEnd() {
        byte[] line = "line\n".getBytes(StandardCharsets.UTF_8);
        int[] calls = {0};
        try (TestGuest reader = new TestGuest((target, offset, length) -> {
            if (calls[0]++ > 0) {
                return -1;
            }
            System.arraycopy(line, 0, target, offset, line.length);
            return line.length;
        })) {
            reader.succeed(WasiFunction.FD_READ, 0, VECTORS, reader.vectors(BUFFER, 2, 500, 100), RESULT);
            assertThat(reader.memory.getInt(RESULT)).isEqualTo(5);
            assertThat(reader.string(BUFFER, 2) + reader.string(500, 3)).isEqualTo("line\n");
            assertThat(reader.read(0)).isEmpty();
        }
    }

    @Test
    void readsAndWritesFilesAtTheirPosition() {
        int fd = guest.created("f", "hello");
        guest.write(fd, " world");
        assertThat(guest.read(fd)).isEmpty();
        assertThat(seek(fd, -5, 2)).isEqualTo(Errno.SUCCESS);
        assertThat(guest.memory.getLong(RESULT)).isEqualTo(6);
        assertThat(guest.read(fd)).isEqualTo("world");
        assertThat(seek(fd, -8, 1)).isEqualTo(Errno.SUCCESS);
        guest.succeed(WasiFunction.FD_READ, fd, VECTORS, guest.vectors(BUFFER, 1, 500, 1, 600, 1000), RESULT);
        assertThat(guest.memory.getInt(RESULT)).isEqualTo(8);
        assertThat(guest.string(BUFFER, 1) + guest.string(500, 1) + guest.string(600, 6))
                .isEqualTo("lo world");
    }

    @Test
    void readsAndWritesAtAnOffsetWithoutMoving() {
        int fd = guest.created("f", "hello");
        guest.string(BUFFER, "J");
        guest.succeed(WasiFunction.FD_PWRITE, fd, VECTORS, guest.vectors(BUFFER, 1), 0, RESULT);
        guest.succeed(WasiFunction.FD_PREAD, fd, VECTORS, guest.vectors(BUFFER, 3), 0, RESULT);
        assertThat(guest.string(BUFFER, 3)).isEqualTo("Jel");
        guest.succeed(WasiFunction.FD_TELL, fd, RESULT);
        assertThat(guest.memory.getLong(RESULT)).isEqualTo(5);
        assertThat(guest.call(WasiFunction.FD_PREAD, fd, VECTORS, 1, -1, RESULT))
                .isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.FD_PWRITE, fd, VECTORS, 1, Long.MAX_VALUE, RESULT))
                .isEqualTo(Errno.FBIG);
    }

    @Test
    void seeksOnlyToWhereAFileCanBe() {
        int fd = guest.created("f", "hello");
        assertThat(seek(fd, -1, 0)).isEqualTo(Errno.INVAL);
        assertThat(seek(fd, -6, 1)).isEqualTo(Errno.INVAL);
        assertThat(seek(fd, 0, 3)).isEqualTo(Errno.INVAL);
        assertThat(seek(fd, Long.MAX_VALUE, 2)).isEqualTo(Errno.INVAL);
        assertThat(seek(fd, Long.MIN_VALUE, 1)).isEqualTo(Errno.INVAL);
        assertThat(seek(fd, Long.MAX_VALUE, 0)).isEqualTo(Errno.SUCCESS);
        assertThat(guest.read(fd)).isEmpty();
        guest.string(BUFFER, "x");
        assertThat(guest.call(WasiFunction.FD_WRITE, fd, VECTORS, guest.vectors(BUFFER, 1), RESULT))
                .isEqualTo(Errno.FBIG);
    }

    @Test
    void resizesAndAllocates() {
        int fd = guest.created("f", "hello");
        guest.succeed(WasiFunction.FD_FILESTAT_SET_SIZE, fd, 2);
        guest.succeed(WasiFunction.FD_ALLOCATE, fd, 0, 4);
        assertThat(seek(fd, 0, 0)).isEqualTo(Errno.SUCCESS);
        assertThat(guest.read(fd)).isEqualTo("he\0\0");
        assertThat(guest.call(WasiFunction.FD_ALLOCATE, fd, 0, 0)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.FD_ALLOCATE, fd, Long.MAX_VALUE, Long.MAX_VALUE))
                .isEqualTo(Errno.FBIG);
        assertThat(guest.call(WasiFunction.FD_FILESTAT_SET_SIZE, fd, -1)).isEqualTo(Errno.INVAL);
        assertThat(guest.call(WasiFunction.FD_ALLOCATE, fd, 0, 1L << 30)).isEqualTo(Errno.NOSPC);
    }

    @Test
    void takesNoDirectoryForAFileAndNoStreamForEither() {
        assertThat(read(ROOT, 0)).isEqualTo(Errno.ISDIR);
        assertThat(guest.call(WasiFunction.FD_WRITE, ROOT, VECTORS, 0, RESULT)).isEqualTo(Errno.ISDIR);
        assertThat(guest.call(WasiFunction.FD_PREAD, ROOT, VECTORS, 0, 0, RESULT))
                .isEqualTo(Errno.ISDIR);
        assertThat(seek(ROOT, 0, 0)).isEqualTo(Errno.ISDIR);
        assertThat(guest.call(WasiFunction.FD_FILESTAT_SET_SIZE, ROOT, 0)).isEqualTo(Errno.ISDIR);
        assertThat(seek(1, 0, 0)).isEqualTo(Errno.SPIPE);
        assertThat(guest.call(WasiFunction.FD_TELL, 0, RESULT)).isEqualTo(Errno.SPIPE);
        assertThat(guest.call(WasiFunction.FD_PWRITE, 1, VECTORS, 0, 0, RESULT)).isEqualTo(Errno.SPIPE);
        assertThat(read(1, 0)).isEqualTo(Errno.NOTCAPABLE);
        assertThat(guest.call(WasiFunction.FD_WRITE, 0, VECTORS, 0, RESULT)).isEqualTo(Errno.NOTCAPABLE);
        int file = guest.created("f", "");
        assertThat(guest.call(WasiFunction.FD_READDIR, file, BUFFER, 100, 0, RESULT))
                .isEqualTo(Errno.NOTDIR);
        assertThat(guest.call(WasiFunction.FD_READDIR, 1, BUFFER, 100, 0, RESULT))
                .isEqualTo(Errno.NOTDIR);
    }

    @Test
    void checksEveryVectorBeforeItTouchesAnything() {
        int fd = guest.created("f", "hello");
        assertThat(seek(fd, 0, 0)).isEqualTo(Errno.SUCCESS);
        guest.string(BUFFER, "untouched");
        assertThat(read(fd, guest.vectors(BUFFER, 5, TestGuest.MEMORY_BYTES - 4, 5)))
                .isEqualTo(Errno.FAULT);
        assertThat(read(fd, guest.vectors(BUFFER, 5, BUFFER, -1))).isEqualTo(Errno.FAULT);
        assertThat(read(fd, guest.vectors(BUFFER, 5, -1, 0))).isEqualTo(Errno.FAULT);
        assertThat(guest.call(WasiFunction.FD_READ, fd, VECTORS, guest.vectors(BUFFER, 5), -4))
                .isEqualTo(Errno.FAULT);
        assertThat(guest.call(WasiFunction.FD_WRITE, 1, VECTORS, guest.vectors(BUFFER, 5), -4))
                .isEqualTo(Errno.FAULT);
        assertThat(guest.string(BUFFER, 9)).isEqualTo("untouched");
        assertThat(guest.output.size()).isZero();
        assertThat(guest.read(fd)).isEqualTo("hello");
    }

    @Test
    void boundsTheNumberOfVectors() {
        assertThat(read(0, 1025)).isEqualTo(Errno.INVAL);
        assertThat(read(0, -1)).isEqualTo(Errno.INVAL);
        assertThat(read(0, Integer.MAX_VALUE)).isEqualTo(Errno.INVAL);
        assertThat(read(0, 1024)).isEqualTo(Errno.SUCCESS);
    }

    @Test
    void movesNoMoreThanItsBoundInOneCall() {
        int fd = guest.created("f", "");
        int[] vectors = new int[2 * 1000];
        for (int i = 0; i < 1000; i++) {
            vectors[2 * i] = BUFFER;
            vectors[2 * i + 1] = 100_000;
        }
        guest.succeed(WasiFunction.FD_WRITE, fd, VECTORS, guest.vectors(vectors), RESULT);
        assertThat(guest.memory.getInt(RESULT)).isEqualTo(IoVectors.TRANSFER_BYTES_MAX);
        guest.succeed(WasiFunction.FD_TELL, fd, RESULT);
        assertThat(guest.memory.getLong(RESULT)).isEqualTo(IoVectors.TRANSFER_BYTES_MAX);
    }

    @Test
    void isNotConfusedByReadingOverItsOwnVectors() {
        int fd = guest.created("f", "\uffff".repeat(100));
        assertThat(seek(fd, 0, 0)).isEqualTo(Errno.SUCCESS);
        guest.succeed(WasiFunction.FD_READ, fd, VECTORS, guest.vectors(VECTORS, 16, BUFFER, 100), RESULT);
        assertThat(guest.memory.getInt(RESULT)).isEqualTo(116);
    }

    @Test
    void passesOnWhatAStreamThrows() {
        try (TestGuest reader = new TestGuest((_, _, _) -> {
            throw new IllegalStateException("the stream is gone");
        })) {
            assertThatThrownBy(() -> reader.read(0)).hasMessage("the stream is gone");
        }
    }
}
