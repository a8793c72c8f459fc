package dev.glovebox.backends;

import dev.glovebox.wire.agent.Protocol;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Memory that this process shares with one agent, one [Lane] for each direction: the content of large files does not
/// go through a socket. Opened when it is first used; without it content is sent in frames. Its size is sealed, so that
/// no agent can take it away from under this process. Thread-safe. The only class of this module with foreign
/// functions.
@SuppressWarnings("restricted") // the JDK has no word for pages that are not needed any more
final class Lanes {
    private static final System.Logger LOG = System.getLogger(Lanes.class.getName());
    private static final MethodHandle MADVISE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("madvise"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
    /// `man 2 madvise`: the pages go, for everybody.
    private static final int MADV_REMOVE = 9;

    private final Path file;
    private final long inode;
    private final Semaphore in = new Semaphore(1);
    private final Semaphore out = new Semaphore(1);
    private @Nullable ByteBuffer memory;
    private boolean failed;

    /// @param file the memory, as the supervisor holds it
    /// @param inode tells it from what the supervisor may hold there later
    Lanes(Path file, long inode) {
        this.file = file;
        this.inode = inode;
    }

    /// The lane towards the agent; empty if it is in use, or cannot be.
    Optional<Lane> takeIn() {
        return take(in, 0);
    }

    /// The lane from the agent; empty if it is in use, or cannot be.
    Optional<Lane> takeOut() {
        return take(out, Protocol.LANE_BYTES);
    }

    private Optional<Lane> take(Semaphore turn, int from) {
        if (!turn.tryAcquire()) {
            return Optional.empty();
        }
        ByteBuffer all = open();
        if (all == null) {
            turn.release();
            return Optional.empty();
        }
        ByteBuffer part = all.slice(from, Protocol.LANE_BYTES);
        return Optional.of(new Lane(part, () -> {
            empty(part);
            turn.release();
        }));
    }

    /// Gives all of it back, for the sandbox has ended: what its agent left there would stay until the JVM finds that
    /// nobody uses the memory any more.
    synchronized void end() {
        failed = true;
        if (memory != null) {
            empty(memory);
            memory = null;
        }
    }

    private synchronized @Nullable ByteBuffer open() {
        if (memory == null && !failed) {
            try {
                memory = map();
            } catch (IOException failure) {
                failed = true;
                LOG.log(System.Logger.Level.WARNING, "files are sent without shared memory: {0}", failure.getMessage());
            }
        }
        return memory;
    }

    private ByteBuffer map() throws IOException {
        try (FileChannel opened = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            // Afterwards: what is still there then was there before.
            if (!Long.valueOf(inode).equals(Files.getAttribute(file, "unix:ino"))) {
                throw new IOException("the sandbox has ended");
            }
            return opened.map(FileChannel.MapMode.READ_WRITE, 0, 2L * Protocol.LANE_BYTES);
        }
    }

    private static void empty(ByteBuffer part) {
        try {
            int result = (int) MADVISE.invokeExact(MemorySegment.ofBuffer(part), (long) part.capacity(), MADV_REMOVE);
            if (result != 0) {
                LOG.log(System.Logger.Level.WARNING, "memory that is shared with a sandbox could not be given back");
            }
        } catch (Throwable impossible) {
            throw new IllegalStateException("madvise cannot be called", impossible);
        }
    }
}
