package dev.glovebox.cell;

import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// How many bytes of one stream may still go to the host. The guest's thread takes, and waits when nothing is
/// left; the connection's thread adds. Thread-safe.
final class Credit {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long bytes = Protocol.INITIAL_CREDIT_BYTES;
    private boolean closed;

    /// Takes up to `wanted` bytes without waiting; 0 if there are none.
    int tryTake(int wanted) {
        lock.lock();
        try {
            int taken = closed ? 0 : (int) Math.min(bytes, wanted);
            bytes -= taken;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /// Waits until there is credit or [#close()] was called. The caller still has to take it.
    void await() {
        lock.lock();
        try {
            while (bytes == 0 && !closed) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /// @throws ProtocolException if the host grants nothing, or more than the protocol allows
    void add(int granted) {
        lock.lock();
        try {
            if (granted < 1 || bytes + granted > Protocol.CREDIT_BYTES_MAX) {
                throw new ProtocolException(
                        "credit of " + Integer.toUnsignedString(granted) + " bytes on top of " + bytes);
            }
            bytes += granted;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Nobody waits here any more, and nothing can be taken.
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
