package dev.glovebox.cell;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.BitSet;

/// The few calls of the operating system that the JDK does not offer, and the only class of the cell with
/// foreign functions. Addresses are raw: whoever calls [#view], [#mapPrivate] or [#discard] owns the range.
/// Thread-safe.
@SuppressWarnings("restricted") // calling the system is what this class is for
public final class Linux {
    /// Pages that a process maps; the wasm tier's own pages are 16 of them.
    public static final int PAGE_BYTES = 4096;

    private static final Linker LINKER = Linker.nativeLinker();

    private static final MethodHandle MMAP = function(
            "mmap",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG));
    private static final MethodHandle MEMFD_CREATE = function(
            "memfd_create", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE =
            function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle FTRUNCATE = function(
            "ftruncate", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
    private static final MethodHandle PWRITE = function(
            "pwrite",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG));
    private static final MethodHandle MADVISE = function(
            "madvise",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
    private static final MethodHandle EXIT = function("_exit", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
    private static final MethodHandle GETTID = function("gettid", FunctionDescriptor.of(ValueLayout.JAVA_INT));
    private static final MethodHandle SETPRIORITY = function(
            "setpriority",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    /// On an array of the heap: the watchdog asks for the time of each guest every few milliseconds, and would
    /// wait for whoever holds a lock of the C library's allocator.
    private static final MethodHandle CLOCK_GETTIME = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("clock_gettime"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
            Linker.Option.critical(true));

    private static final int PROT_NONE = 0;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_FIXED = 0x12;
    private static final int MAP_ANONYMOUS_NORESERVE = 0x4020;
    private static final int MADV_POPULATE_WRITE = 23;
    private static final int MFD_CLOEXEC = 1;
    private static final int PAGEMAP_ENTRY_BYTES = 8;
    private static final long PAGEMAP_PRESENT = 1L << 63;
    private static final long PAGEMAP_FILE_OR_SHARED = 1L << 61;
    private static final int PRIO_PROCESS = 0;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private Linux() {}

    private static MethodHandle function(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape);
    }

    /// Ends this process at once. Even Runtime.halt waits 300 ms for threads in native code, and guests are that.
    public static void exit(int status) {
        try {
            EXIT.invokeExact(status);
        } catch (Throwable e) {
            throw broken("_exit", e);
        }
    }

    /// The kernel's number of the calling thread.
    public static int threadId() {
        try {
            return (int) GETTID.invokeExact();
        } catch (Throwable e) {
            throw broken("gettid", e);
        }
    }

    /// Lowers a thread's share of the processors; the way back up needs a privilege that a cell does not have.
    /// A thread that has ended is passed over.
    public static void setNice(int threadId, int nice) {
        try {
            int _ = (int) SETPRIORITY.invokeExact(PRIO_PROCESS, threadId, nice);
        } catch (Throwable e) {
            throw broken("setpriority", e);
        }
    }

    /// Processor time that a thread of this process has used, in nanoseconds; 0 if it has ended.
    public static long cpuNanos(int threadId) {
        // The kernel's encoding of "scheduler clock of this thread" (CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED).
        int clock = (~threadId << 3) | 6;
        long[] time = new long[2];
        try {
            int failed = (int) CLOCK_GETTIME.invokeExact(clock, MemorySegment.ofArray(time));
            return failed == 0 ? time[0] * NANOS_PER_SECOND + time[1] : 0;
        } catch (Throwable e) {
            throw broken("clock_gettime", e);
        }
    }

    /// Makes a file that exists in memory only, all zero, and returns its descriptor.
    public static int memoryFile(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            int descriptor = (int) MEMFD_CREATE.invokeExact(arena.allocateFrom("glovebox-image"), MFD_CLOEXEC);
            if (descriptor < 0 || (int) FTRUNCATE.invokeExact(descriptor, bytes) != 0) {
                throw new IllegalStateException("no memory file of " + bytes + " bytes");
            }
            return descriptor;
        } catch (IllegalStateException e) {
            throw e;
        } catch (Throwable e) {
            throw broken("memfd_create", e);
        }
    }

    /// Closes a descriptor that [#memoryFile] made. What is mapped of the file stays.
    public static void close(int descriptor) {
        try {
            int _ = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw broken("close", e);
        }
    }

    /// Where a direct buffer's bytes are.
    public static long address(ByteBuffer direct) {
        return MemorySegment.ofBuffer(direct).address();
    }

    /// A buffer over memory that the caller knows to be mapped. It keeps nothing alive.
    public static ByteBuffer view(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes).asByteBuffer();
    }

    /// Writes all of a direct buffer.
    public static void write(int descriptor, ByteBuffer direct, long offset) {
        MemorySegment bytes = MemorySegment.ofBuffer(direct);
        try {
            for (long done = 0; done < bytes.byteSize(); ) {
                long count = (long)
                        PWRITE.invokeExact(descriptor, bytes.asSlice(done), bytes.byteSize() - done, offset + done);
                if (count <= 0) {
                    throw new IllegalStateException("a memory file took no more bytes");
                }
                done += count;
            }
        } catch (IllegalStateException e) {
            throw e;
        } catch (Throwable e) {
            throw broken("pwrite", e);
        }
    }

    /// Puts the content of a file in place of the pages at `address`: copied page by page when they are written
    /// to, so that the file never changes.
    public static void mapPrivate(long address, long bytes, int descriptor) {
        map(address, bytes, PROT_READ_WRITE, MAP_PRIVATE_FIXED, descriptor);
    }

    /// Copies pages of a private mapping before they are written to, in one call. A kernel that cannot (before 5.14)
    /// is passed over: the pages are then copied one by one.
    public static void populate(long address, long bytes) {
        try {
            int _ = (int) MADVISE.invokeExact(address, bytes, MADV_POPULATE_WRITE);
        } catch (Throwable e) {
            throw broken("madvise", e);
        }
    }

    /// Which pages of a private mapping of a file have been written to and are therefore this process' own; empty if
    /// the kernel does not tell.
    public static BitSet ownPages(long address, long bytes) {
        BitSet own = new BitSet();
        int pages = (int) (bytes / PAGE_BYTES);
        byte[] entries = new byte[pages * PAGEMAP_ENTRY_BYTES];
        try (RandomAccessFile map = new RandomAccessFile("/proc/self/pagemap", "r")) {
            map.seek(address / PAGE_BYTES * PAGEMAP_ENTRY_BYTES);
            map.readFully(entries);
        } catch (IOException _) {
            return own;
        }
        LongBuffer entry =
                ByteBuffer.wrap(entries).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        for (int page = 0; page < pages; page++) {
            long flags = entry.get(page);
            own.set(page, (flags & PAGEMAP_PRESENT) != 0 && (flags & PAGEMAP_FILE_OR_SHARED) == 0);
        }
        return own;
    }

    /// Gives the pages at `address` back at once. The range stays reserved, and touching it is a fault.
    public static void discard(long address, long bytes) {
        map(address, bytes, PROT_NONE, MAP_PRIVATE_FIXED | MAP_ANONYMOUS_NORESERVE, -1);
    }

    private static void map(long address, long bytes, int protection, int flags, int descriptor) {
        try {
            long mapped = (long) MMAP.invokeExact(address, bytes, protection, flags, descriptor, 0L);
            if (mapped != address) {
                throw new IllegalStateException("the kernel refused to map " + bytes + " bytes");
            }
        } catch (IllegalStateException e) {
            throw e;
        } catch (Throwable e) {
            throw broken("mmap", e);
        }
    }

    private static IllegalStateException broken(String call, Throwable cause) {
        return new IllegalStateException("the call " + call + " cannot be made", cause);
    }
}
