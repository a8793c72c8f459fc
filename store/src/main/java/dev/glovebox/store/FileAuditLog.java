package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.audit.AuditEvent;
import dev.glovebox.core.audit.AuditLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The audit log as files: append-only segments of JSON lines, each chained to the one before by its hash, each
/// closed segment sealed with a signature (docs/audit-log.md). A record is in the operating system's hands when
/// `append` returns and on the disk when `appendDurably` does, which many threads share one fdatasync for. Two
/// processes may append to one directory at the same time, a server and a command line for example.
/// Thread-safe.
public final class FileAuditLog implements AuditLog {
    private static final System.Logger LOG = System.getLogger(FileAuditLog.class.getName());

    /// How long a record that nobody waits for may be without a place on the disk: the port promises a second.
    private static final Duration FLUSH_AFTER = Duration.ofMillis(500);

    private final DirectoryLock lock;
    private final AuditChain chain;

    private final ReentrantLock state = new ReentrantLock();
    private final Condition changed = state.newCondition();
    private volatile boolean flusherRests;
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean closed;
    private volatile @Nullable IOException broken;

    /// Opens the log in a directory, or begins one there.
    ///
    /// @throws GloveboxException INTERNAL if it is damaged: it is left as it is; OVERLOADED if it
    ///     cannot be written
    public static FileAuditLog open(Path directory, AuditKey key, Clock clock) {
        return open(new AuditChain.Options(directory, key, clock, Limits.AUDIT_SEGMENT_BYTES_MAX, SegmentFile::new));
    }

    static FileAuditLog open(AuditChain.Options options) {
        try {
            PrivateFiles.createDirectories(options.directory());
            DirectoryLock lock = new DirectoryLock(options.directory());
            try (DirectoryLock.Held _ = lock.take()) {
                options.key().createIfAbsent();
                return new FileAuditLog(lock, new AuditChain(options));
            } catch (IOException | RuntimeException failure) {
                lock.close();
                throw failure;
            }
        } catch (IOException failure) {
            throw cannotWrite(failure);
        }
    }

    private FileAuditLog(DirectoryLock lock, AuditChain chain) {
        this.lock = lock;
        this.chain = chain;
        Thread.ofPlatform().daemon().name("audit-flusher").start(this::flush);
    }

    @Override
    public long appendDurably(AuditEvent event) {
        long number = write(event);
        force(number);
        return number;
    }

    @Override
    public long append(AuditEvent event) {
        long number = write(event);
        if (flusherRests) {
            wakeFlusher();
        }
        return number;
    }

    private long write(AuditEvent event) {
        check();
        try (DirectoryLock.Held _ = lock.take()) {
            check();
            return chain.append(event);
        } catch (IOException failure) {
            throw cannotWrite(failure);
        }
    }

    private void check() {
        if (closed) {
            throw new GloveboxException(ErrorCode.OVERLOADED, "the audit log is closed: this server is stopping");
        }
        IOException before = broken;
        if (before != null) {
            throw new GloveboxException(
                    ErrorCode.OVERLOADED,
                    "the audit log cannot be trusted to reach the disk since an earlier failure (" + before.getMessage()
                            + "): mend the disk and start the server again",
                    before);
        }
    }

    /// After a failed fdatasync the kernel may have dropped what it could not write and say nothing the next
    /// time, so there is no next time.
    private void force(long number) {
        try {
            chain.force(number);
        } catch (IOException failure) {
            broken = failure;
            throw cannotWrite(failure);
        }
    }

    private static GloveboxException cannotWrite(IOException failure) {
        return new GloveboxException(
                ErrorCode.OVERLOADED,
                "the audit log cannot be written, so nothing may be done: " + failure.getMessage(),
                failure);
    }

    private void wakeFlusher() {
        state.lock();
        try {
            flusherRests = false;
            changed.signalAll();
        } finally {
            state.unlock();
        }
    }

    private void flush() {
        try {
            while (awaitWork()) {
                force(chain.written());
            }
        } catch (GloveboxException failure) {
            LOG.log(System.Logger.Level.ERROR, "the audit log cannot be written: every command is refused", failure);
        }
    }

    /// Rests until a record wants to be flushed, then gives others the time to come along. False once closed.
    private boolean awaitWork() {
        state.lock();
        try {
            flusherRests = true;
            while (flusherRests && !closed && !chain.isAhead()) {
                changed.awaitUninterruptibly();
            }
            flusherRests = false;
            long rest = FLUSH_AFTER.toNanos();
            while (!closed && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            return !closed;
        } catch (InterruptedException _) {
            return false;
        } finally {
            state.unlock();
        }
    }

    /// Puts everything on the disk. Idempotent.
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        try (DirectoryLock.Held _ = lock.take()) {
            closed = true;
        }
        wakeFlusher();
        try (lock;
                chain) {
            if (broken == null) {
                force(chain.written());
            }
        } catch (IOException failure) {
            throw cannotWrite(failure);
        }
    }
}
