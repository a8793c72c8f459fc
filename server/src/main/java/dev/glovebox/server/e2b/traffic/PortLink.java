package dev.glovebox.server.e2b.traffic;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.PortPeer;
import dev.glovebox.engine.Gate;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A connection to a port inside a sandbox, as something that is read and written, where [Command.ConnectPort] wants
/// somebody to read from and write to. Holds at most one part of each direction, so that who is slow holds back who
/// is fast. One thread reads, another may write; any may close. Each call may be interrupted.
final class PortLink implements AutoCloseable {
    /// How long to wait before each further try when nothing listens yet: a server that was just started may be about
    /// to.
    private static final Duration[] PATIENCE = {
        Duration.ofMillis(25), Duration.ofMillis(75), Duration.ofMillis(150), Duration.ofMillis(250)
    };

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Outer outer = new Outer();

    private boolean isConnected;
    private boolean isClosed;
    private boolean guestEnded;
    private boolean weEnded;
    private byte @Nullable [] fromGuest;
    private byte @Nullable [] toGuest;
    private int toGuestAt;
    private @Nullable RuntimeException failure;

    private PortLink() {}

    /// Connects.
    ///
    /// @throws GloveboxException PORT_CLOSED if nothing listens, and every other refusal of the gate
    static PortLink open(Gate gate, SandboxTarget target) throws InterruptedException {
        for (int tries = 0; ; tries++) {
            PortLink link = new PortLink();
            try {
                link.connect(gate, target);
                return link;
            } catch (GloveboxException e) {
                if (e.code() != ErrorCode.PORT_CLOSED || tries == PATIENCE.length) {
                    throw e;
                }
                Thread.sleep(PATIENCE[tries]);
            }
        }
    }

    private void connect(Gate gate, SandboxTarget target) throws InterruptedException {
        Thread.ofVirtual().name("port-link").start(() -> carry(gate, target));
        lock.lock();
        try {
            while (!isConnected && failure == null) {
                changed.await();
            }
            if (failure != null) {
                throw failure;
            }
        } catch (InterruptedException e) {
            isClosed = true;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private void carry(Gate gate, SandboxTarget target) {
        RuntimeException why = new IllegalStateException("the connection was not made");
        try {
            gate.execute(target.principal(), new Command.ConnectPort(target.id(), target.port(), outer));
        } catch (RuntimeException e) {
            why = e;
        } finally {
            over(why);
        }
    }

    private void over(RuntimeException why) {
        lock.lock();
        try {
            failure = why;
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// The next part of what the guest sends; null when it has closed its half.
    ///
    /// @throws IOException if the connection broke off
    byte @Nullable [] read() throws IOException {
        lock.lock();
        try {
            while (fromGuest == null && !guestEnded && !isClosed) {
                changed.await();
            }
            byte[] part = fromGuest;
            if (part == null && !guestEnded) {
                throw new IOException("the connection to port of a sandbox broke off");
            }
            fromGuest = null;
            changed.signalAll();
            return part;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    /// Sends to the guest. The array belongs to the link from then on.
    ///
    /// @throws IOException if the connection broke off
    void write(byte[] bytes) throws IOException {
        if (bytes.length == 0) {
            return;
        }
        lock.lock();
        try {
            while (toGuest != null && !isClosed) {
                changed.await();
            }
            if (isClosed) {
                throw new IOException("the connection to a port of a sandbox broke off");
            }
            toGuest = bytes;
            toGuestAt = 0;
            changed.signalAll();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    /// Closes our half: the guest reads an end.
    void end() {
        lock.lock();
        try {
            weEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Gives the connection up, whatever is under way.
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// What the gate reads from and writes to. Once the link is closed it is a peer that has gone.
    private final class Outer implements PortPeer {
        @Override
        public void connected() {
            lock.lock();
            try {
                isConnected = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public int read(byte[] target) {
            lock.lock();
            try {
                while (toGuest == null && !weEnded && !isClosed) {
                    changed.await();
                }
                byte[] part = toGuest;
                if (part == null) {
                    if (isClosed && !weEnded) {
                        throw gone();
                    }
                    return -1;
                }
                int count = Math.min(target.length, part.length - toGuestAt);
                System.arraycopy(part, toGuestAt, target, 0, count);
                toGuestAt += count;
                if (toGuestAt == part.length) {
                    toGuest = null;
                    changed.signalAll();
                }
                return count;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Gone("interrupted", e);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void write(byte[] bytes) {
            lock.lock();
            try {
                while (fromGuest != null && !isClosed) {
                    changed.await();
                }
                if (isClosed) {
                    throw gone();
                }
                fromGuest = Arrays.copyOf(bytes, bytes.length);
                changed.signalAll();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Gone("interrupted", e);
            } finally {
                lock.unlock();
            }
        }

        private Gone gone() {
            return new Gone("the client went away", new IOException("closed"));
        }

        @Override
        public void end() {
            lock.lock();
            try {
                guestEnded = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            PortLink.this.close();
        }
    }
}
