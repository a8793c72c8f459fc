package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// Lets one writer of a directory in at a time, of all threads of all processes. A file of its own is locked,
/// because POSIX gives a file's locks up when any descriptor of it is closed, by a reader for example.
/// Thread-safe.
final class DirectoryLock implements AutoCloseable {
    /// Two locks of one directory in this JVM must exclude each other too: file locks are a process' and not a
    /// thread's.
    private static final ConcurrentMap<Path, ReentrantLock> IN_THIS_JVM = new ConcurrentHashMap<>();

    /// Others hold the lock for microseconds; sealing a segment takes them a fraction of a second.
    private static final Duration WAIT_MAX = Duration.ofSeconds(10);

    private static final long PAUSE_NANOS = 100_000;

    private final Path file;
    private final ReentrantLock threads;
    private final AsynchronousFileChannel channel;

    DirectoryLock(Path directory) throws IOException {
        this.file = directory.toRealPath().resolve("audit.lock");
        this.threads = IN_THIS_JVM.computeIfAbsent(file, _ -> new ReentrantLock());
        PrivateFiles.createIfAbsent(file);
        this.channel = AsynchronousFileChannel.open(file, StandardOpenOption.WRITE);
    }

    /// The right to write, until it is closed by the same thread.
    final class Held implements AutoCloseable {
        private final FileLock lock;

        private Held(FileLock lock) {
            this.lock = lock;
        }

        @Override
        public void close() {
            try {
                lock.release();
            } catch (IOException gone) {
                throw new IllegalStateException("cannot unlock " + file, gone);
            } finally {
                threads.unlock();
            }
        }
    }

    /// Waits for its turn. An interrupt does not end the waiting, which is short and bounded.
    ///
    /// @throws GloveboxException OVERLOADED if another process does not let go
    Held take() {
        threads.lock();
        boolean taken = false;
        try {
            FileLock lock = acquire();
            taken = true;
            return new Held(lock);
        } finally {
            if (!taken) {
                threads.unlock();
            }
        }
    }

    private FileLock acquire() {
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return lock;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new GloveboxException(
                            ErrorCode.OVERLOADED,
                            "the audit log cannot be written: another process has held " + file + " for "
                                    + WAIT_MAX.toSeconds() + " s ('fuser' names it)");
                }
                interrupted |= Thread.interrupted();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.OVERLOADED, "the audit log cannot be locked: " + failure.getMessage(), failure);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() throws IOException {
        // Closing gives up whatever this process holds of the file: nobody else of it may hold it now.
        threads.lock();
        try {
            channel.close();
        } finally {
            threads.unlock();
        }
    }
}
