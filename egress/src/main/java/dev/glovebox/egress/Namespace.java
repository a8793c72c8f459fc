package dev.glovebox.egress;

import dev.glovebox.core.egress.NetworkNamespace;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// A network namespace that is held open, in which sockets can be made: a socket stays where it was made, whichever
/// thread uses it. Thread-safe. The only class of this module with foreign functions.
@SuppressWarnings("restricted") // the JDK has no word for namespaces
final class Namespace implements AutoCloseable {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle OPEN =
            function("open", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE =
            function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle SETNS =
            function("setns", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle SOCKET = function(
            "socket",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle GETSOCKOPT = function(
            "getsockopt",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS));

    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM_CLOEXEC = 0x80002;
    private static final int SOL_SOCKET = 1;
    private static final int SO_NETNS_COOKIE = 71;

    private final int descriptor;
    private boolean closed;

    private Namespace(int descriptor) {
        this.descriptor = descriptor;
    }

    private static MethodHandle function(String name, FunctionDescriptor shape) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), shape);
    }

    /// Opens it, if it is still the one that is meant.
    ///
    /// @throws IOException if it is gone
    static Namespace open(NetworkNamespace wanted) throws IOException {
        Namespace opened = new Namespace(openFile(wanted.file()));
        try {
            long cookie = opened.within(Namespace::cookie);
            if (cookie != wanted.cookie()) {
                throw new IOException("the sandbox has ended");
            }
            return opened;
        } catch (IOException | RuntimeException failure) {
            opened.close();
            throw failure;
        }
    }

    private static int openFile(String file) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int opened = (int) OPEN.invokeExact(arena.allocateFrom(file), O_RDONLY_CLOEXEC);
            if (opened < 0) {
                throw new IOException("the network namespace cannot be opened");
            }
            return opened;
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw broken("open", e);
        }
    }

    /// The cookie of the namespace that the calling thread is in.
    private static long cookie() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int socket = (int) SOCKET.invokeExact(AF_INET, SOCK_DGRAM_CLOEXEC, 0);
            MemorySegment cookie = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) ValueLayout.JAVA_LONG.byteSize());
            int failed = (int) GETSOCKOPT.invokeExact(socket, SOL_SOCKET, SO_NETNS_COOKIE, cookie, length);
            int _ = (int) CLOSE.invokeExact(socket);
            if (socket < 0 || failed != 0) {
                throw new IOException("the cookie of a network namespace cannot be read");
            }
            return cookie.get(ValueLayout.JAVA_LONG, 0);
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw broken("getsockopt", e);
        }
    }

    /// Calls something in the namespace and returns what it made. It must start no thread and wake none: they would
    /// stay there. It runs on a thread of the operating system of its own, which ends with it, because one that has
    /// been in a namespace is of no other use.
    <T> T within(Callable<T> making) throws IOException {
        FutureTask<T> task = new FutureTask<>(() -> {
            enter();
            return making.call();
        });
        Thread.ofPlatform().name("egress-namespace").daemon().start(task);
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(cause == null ? "it failed" : String.valueOf(cause.getMessage()), cause);
        }
    }

    private synchronized void enter() throws IOException {
        if (closed) {
            throw new IOException("the sandbox has ended");
        }
        try {
            if ((int) SETNS.invokeExact(descriptor, CLONE_NEWNET) != 0) {
                throw new IOException("the network namespace cannot be entered");
            }
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw broken("setns", e);
        }
    }

    private static IllegalStateException broken(String call, Throwable cause) {
        return new IllegalStateException("the call " + call + " cannot be made", cause);
    }

    /// Sockets that were made there stay. Idempotent.
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            int _ = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw broken("close", e);
        }
    }
}
