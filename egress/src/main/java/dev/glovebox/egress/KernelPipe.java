package dev.glovebox.egress;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/// A pipe through which the kernel moves bytes from one socket to another without copying them (splice(2)). Not
/// thread-safe. With [Namespace] the only class of this module with foreign functions.
@SuppressWarnings("restricted") // the JDK has no word for splice
final class KernelPipe implements AutoCloseable {
    /// What it can hold at the most.
    static final int BYTES = 1024 * 1024;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO_OF =
            Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle PIPE2 =
            function("pipe2", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE =
            function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle FCNTL = function(
            "fcntl",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle SPLICE = function(
            "splice",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT),
            ERRNO);

    private static final int O_CLOEXEC_NONBLOCK = 0x80800;
    private static final int F_SETPIPE_SZ = 1031;
    private static final int MOVE_NONBLOCK = 3;
    private static final int EAGAIN = 11;

    private final MemorySegment state = Arena.ofAuto().allocate(Linker.Option.captureStateLayout());
    private final int readEnd;
    private final int writeEnd;
    private long held;

    private KernelPipe(int readEnd, int writeEnd) {
        this.readEnd = readEnd;
        this.writeEnd = writeEnd;
    }

    private static MethodHandle function(String name, FunctionDescriptor shape, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape, options);
    }

    /// Empty if this process may open no more files.
    static Optional<KernelPipe> open() {
        try (Arena brief = Arena.ofConfined()) {
            MemorySegment ends = brief.allocate(ValueLayout.JAVA_INT, 2);
            if ((int) PIPE2.invokeExact(ends, O_CLOEXEC_NONBLOCK) != 0) {
                return Optional.empty();
            }
            int readEnd = ends.getAtIndex(ValueLayout.JAVA_INT, 0);
            // If it stays smaller, less goes through at a time.
            int _ = (int) FCNTL.invokeExact(readEnd, F_SETPIPE_SZ, BYTES);
            return Optional.of(new KernelPipe(readEnd, ends.getAtIndex(ValueLayout.JAVA_INT, 1)));
        } catch (Throwable e) {
            throw new IllegalStateException("the call pipe2 cannot be made", e);
        }
    }

    /// Takes from a socket what it has, at most so many bytes.
    ///
    /// @return how many; 0 if it has none now, -1 if it has ended
    long fill(int socket, long most) throws IOException {
        long count = splice(socket, writeEnd, most);
        if (count > 0) {
            held += count;
            return count;
        }
        return count == 0 ? -1 : 0;
    }

    /// Gives a socket as much as it takes; [#held] says what is left.
    void drain(int socket) throws IOException {
        while (held > 0) {
            long count = splice(readEnd, socket, held);
            if (count <= 0) {
                return;
            }
            held -= count;
        }
    }

    /// -1: nothing can be moved now.
    private long splice(int from, int to, long most) throws IOException {
        long count;
        try {
            count = (long)
                    SPLICE.invokeExact(state, from, MemorySegment.NULL, to, MemorySegment.NULL, most, MOVE_NONBLOCK);
        } catch (Throwable e) {
            throw new IllegalStateException("the call splice cannot be made", e);
        }
        if (count < 0 && (int) ERRNO_OF.get(state, 0L) != EAGAIN) {
            throw new IOException("the connection is broken");
        }
        return count;
    }

    long held() {
        return held;
    }

    /// What is in it is lost.
    @Override
    public void close() {
        try {
            int _ = (int) CLOSE.invokeExact(readEnd);
            int _ = (int) CLOSE.invokeExact(writeEnd);
        } catch (Throwable e) {
            throw new IllegalStateException("the call close cannot be made", e);
        }
    }
}
