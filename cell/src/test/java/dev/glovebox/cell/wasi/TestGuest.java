package dev.glovebox.cell.wasi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.net.GuestNetwork;
import dev.glovebox.core.ResourceLimits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// A guest played by a test: a memory of two pages, a fixed clock, and calls made as an engine makes them.
final class TestGuest implements AutoCloseable {
    static final int MEMORY_BYTES = 2 * 65_536;
    /// Where [#call] puts results, and where strings, buffers and vectors are kept.
    static final int RESULT = 0;

    static final int PATH = 1_000;
    static final int OTHER_PATH = 6_000;
    static final int VECTORS = 11_000;
    static final int BUFFER = 20_000;
    static final int ROOT = 3;

    static final long NOW_NANOS = 1_767_225_600_123_456_789L;

    final MemoryFileSystem files = new MemoryFileSystem(
            ResourceLimits.DEFAULT, InstantSource.fixed(Instant.ofEpochSecond(0, NOW_NANOS)), new Random(1));
    final ByteBuffer memory = ByteBuffer.allocateDirect(MEMORY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    final ByteArrayOutputStream output = new ByteArrayOutputStream();
    final ByteArrayOutputStream error = new ByteArrayOutputStream();
    final ByteArrayOutputStream result = new ByteArrayOutputStream();
    final Wasi wasi;

    TestGuest() {
        this(GuestInput.EMPTY);
    }

    TestGuest(GuestInput input) {
        WasiProgram program = new WasiProgram(List.of("program", "first argument"), Map.of("B", "2", "A", "é"));
        WasiStreams streams = new WasiStreams(input, output::write, error::write, result::write);
        GuestClock clock = new GuestClock() {
            @Override
            public long realtimeNanos() {
                return NOW_NANOS;
            }

            @Override
            public long monotonicNanos() {
                return 1_000_099_999;
            }

            @Override
            public long cpuNanos() {
                return 5_250_000;
            }
        };
        wasi = new Wasi(
                program, streams, files, clock, new Random(2), new DialDevice(GuestNetwork.CLOSED, Runnable::run));
        wasi.memory().refresh(memory);
    }

    /// Calls a function with one value for each of its parameters.
    Errno call(WasiFunction function, long... values) {
        int[] arguments = new int[function.argumentCount()];
        int next = 0;
        for (int i = 0; i < values.length; i++) {
            arguments[next++] = (int) values[i];
            if (function.parameters().charAt(i) == 'I') {
                arguments[next++] = (int) (values[i] >>> 32);
            }
        }
        assertThat(values).hasSize(function.parameters().length());
        int code = function.invoke(wasi, arguments);
        return Arrays.stream(Errno.values())
                .filter(errno -> errno.code() == code)
                .findFirst()
                .orElseThrow();
    }

    void succeed(WasiFunction function, long... values) {
        assertThat(call(function, values)).as(function.importName()).isEqualTo(Errno.SUCCESS);
    }

    /// Puts a string into memory and returns its length.
    int string(int pointer, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        memory.put(pointer, bytes);
        return bytes.length;
    }

    String string(int pointer, int length) {
        byte[] bytes = new byte[length];
        memory.get(pointer, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /// Describes buffers by pointer and length, and returns how many.
    int vectors(int... pointersAndLengths) {
        for (int i = 0; i < pointersAndLengths.length; i++) {
            memory.putInt(VECTORS + 4 * i, pointersAndLengths[i]);
        }
        return pointersAndLengths.length / 2;
    }

    /// `path_open` below `/` with every right, as wasi-libc asks for `O_RDWR`.
    Errno open(String path, int openFlags, int descriptorFlags) {
        return open(ROOT, path, openFlags, Rights.ALL, descriptorFlags);
    }

    Errno open(int directory, String path, int openFlags, long rights, int descriptorFlags) {
        int length = string(PATH, path);
        return call(
                WasiFunction.PATH_OPEN,
                directory,
                1,
                PATH,
                length,
                openFlags,
                rights,
                Rights.ALL,
                descriptorFlags,
                RESULT);
    }

    int opened(String path, int openFlags) {
        assertThat(open(path, openFlags, 0)).as("open " + path).isEqualTo(Errno.SUCCESS);
        return memory.getInt(RESULT);
    }

    /// A new file with this content; its position is at the end.
    int created(String path, String content) {
        int fd = opened(path, 1);
        write(fd, content);
        return fd;
    }

    void write(int fd, String content) {
        int length = string(BUFFER, content);
        succeed(WasiFunction.FD_WRITE, fd, VECTORS, vectors(BUFFER, length), RESULT);
        assertThat(memory.getInt(RESULT)).isEqualTo(length);
    }

    /// What one `fd_read` of up to 1000 bytes gives.
    String read(int fd) {
        succeed(WasiFunction.FD_READ, fd, VECTORS, vectors(BUFFER, 1000), RESULT);
        return string(BUFFER, memory.getInt(RESULT));
    }

    @Override
    public void close() {
        wasi.close();
    }
}
