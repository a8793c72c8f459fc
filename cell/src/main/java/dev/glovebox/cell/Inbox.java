package dev.glovebox.cell;

import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/// Bytes of one stream from the host that nobody has read yet: never more than the credit that was granted. The
/// connection's thread offers, the guest's thread reads. Thread-safe.
final class Inbox {
    /// What [#read] returns when the time is over.
    static final int TIMED_OUT = -3;

    private static final int GRANT_STEP_BYTES = 64 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> chunks = new ArrayDeque<>();
    private final IntConsumer grant;
    private int firstRead;
    private int available;
    private int creditLeft = Protocol.INITIAL_CREDIT_BYTES;
    private int consumed;
    private int readers;
    private boolean interrupted;
    private boolean ended;
    private boolean closed;

    /// @param grant tells the host that it may send so many bytes more
    Inbox(IntConsumer grant) {
        this.grant = grant;
    }

    /// @throws ProtocolException if the host sends more than it may
    void offer(byte[] bytes) {
        lock.lock();
        try {
            if (ended || bytes.length > creditLeft) {
                throw new ProtocolException(
                        ended
                                ? "data after the end of a stream"
                                : bytes.length + " bytes for a credit of " + creditLeft);
            }
            creditLeft -= bytes.length;
            if (!closed && bytes.length > 0) {
                chunks.addLast(bytes);
                available += bytes.length;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Drops what is there; readers find the end.
    void close() {
        lock.lock();
        try {
            closed = true;
            chunks.clear();
            available = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Lets a reader that waits return [GuestStreams#INTERRUPTED]; without one it does nothing.
    void interrupt() {
        lock.lock();
        try {
            interrupted = readers > 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Whether [#read] would return at once.
    boolean isReady() {
        lock.lock();
        try {
            return available > 0 || ended || closed;
        } finally {
            lock.unlock();
        }
    }

    /// Reads at least one byte, or returns -1 at the end or [GuestStreams#INTERRUPTED].
    int read(byte[] target, int offset, int length) {
        return read(target, offset, length, 0);
    }

    /// As [#read], but returns [#TIMED_OUT] after so many nanoseconds; 0 is for ever.
    int read(byte[] target, int offset, int length, long nanos) {
        long left = nanos;
        int toGrant = 0;
        int count;
        lock.lock();
        try {
            while (available == 0) {
                if (ended || closed) {
                    return -1;
                }
                if (nanos > 0 && left <= 0) {
                    return TIMED_OUT;
                }
                readers++;
                if (nanos > 0) {
                    left = changed.awaitNanos(left);
                } else {
                    changed.awaitUninterruptibly();
                }
                readers--;
                if (interrupted) {
                    interrupted = false;
                    return GuestStreams.INTERRUPTED;
                }
            }
            byte[] first = chunks.getFirst();
            count = Math.min(length, first.length - firstRead);
            System.arraycopy(first, firstRead, target, offset, count);
            firstRead += count;
            available -= count;
            if (firstRead == first.length) {
                chunks.removeFirst();
                firstRead = 0;
            }
            consumed += count;
            if (consumed >= GRANT_STEP_BYTES && !ended) {
                toGrant = consumed;
                consumed = 0;
                creditLeft += toGrant;
            }
        } catch (InterruptedException _) {
            // Threads of guests are not interrupted; if one is, its wait is over.
            Thread.currentThread().interrupt();
            return TIMED_OUT;
        } finally {
            lock.unlock();
        }
        if (toGrant > 0) {
            grant.accept(toGrant);
        }
        return count;
    }
}
