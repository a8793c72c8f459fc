package dev.glovebox.server.api;

import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.ServerRequest;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Notices that a client has gone away while its request is being worked on, and interrupts the thread that
/// works.
///
/// HTTP/1.1 sends nothing while it waits for an answer, so the next bytes on the connection are either the
/// following request or its end. A virtual thread waits for them in the connection's own reader, which keeps
/// what it reads. The connection must not read on before [#awaitReader()] has returned; the wait begins late,
/// and one thread looks for all whose time has come, so that the usual short request pays for none of this. Over
/// HTTP/2 there is nothing to watch, and only a failing write tells.
public final class ClientWatch implements AutoCloseable {
    /// Shorter requests are not worth watching: their work is over before anybody could stop it.
    private static final Duration DELAY = Duration.ofMillis(50);

    /// Those whose time has not come, or that are over already; oldest first.
    private static final Queue<ClientWatch> YOUNG = new ConcurrentLinkedQueue<>();

    private static final Clerk CLERK = new Clerk();

    private final Thread worker = Thread.currentThread();
    private final @Nullable ConnectionContext connection;
    private final long begun = System.nanoTime();
    private @Nullable Thread reader;
    private boolean isOver;
    private boolean isGone;

    private ClientWatch(@Nullable ConnectionContext connection) {
        this.connection = connection;
    }

    /// Begins to watch the client of a request whose body has been read to its end.
    public static ClientWatch begin(ServerRequest request) {
        boolean isQuiet = request.content().consumed();
        ClientWatch watch = new ClientWatch(isQuiet ? ConnectionTracker.current(request) : null);
        if (watch.connection != null) {
            YOUNG.add(watch);
            CLERK.wake();
        }
        return watch;
    }

    /// Begins to read on connections when it is time, and rests while nobody asks for anything.
    private static final class Clerk {
        private static final Duration PAUSE = DELAY.dividedBy(2);
        /// Pauses without anybody, before it rests.
        private static final int IDLE_MAX = 100;

        private final Thread thread =
                Thread.ofPlatform().daemon().name("client-watch").unstarted(this::work);
        private final AtomicBoolean rests = new AtomicBoolean();
        private final AtomicBoolean begun = new AtomicBoolean();

        /// Costs nothing while it works anyway.
        void wake() {
            if (!begun.get() && begun.compareAndSet(false, true)) {
                thread.start();
            } else if (rests.get() && rests.compareAndSet(true, false)) {
                LockSupport.unpark(thread);
            }
        }

        private void work() {
            int idle = 0;
            while (true) {
                idle = YOUNG.isEmpty() ? idle + 1 : 0;
                if (idle > IDLE_MAX) {
                    rest();
                    idle = 0;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
                for (ClientWatch next = YOUNG.peek(); next != null && next.isDue(); next = YOUNG.peek()) {
                    YOUNG.remove();
                    next.read();
                }
            }
        }

        private void rest() {
            rests.set(true);
            while (rests.get() && YOUNG.isEmpty()) {
                LockSupport.park(this);
            }
            rests.set(false);
        }
    }

    private boolean isDue() {
        return System.nanoTime() - begun >= DELAY.toNanos();
    }

    private synchronized void read() {
        ConnectionContext watched = connection;
        if (!isOver && watched != null) {
            reader = Thread.ofVirtual().name("client-watch").start(() -> watch(watched.dataReader()));
        }
    }

    /// Watches nobody.
    public static ClientWatch none() {
        return new ClientWatch(null);
    }

    private void watch(DataReader data) {
        try {
            data.ensureAvailable();
        } catch (RuntimeException e) {
            gone();
        }
    }

    /// Ends the work. Also called by whoever fails to write to the client.
    public synchronized void gone() {
        if (!isGone) {
            isGone = true;
            if (!isOver) {
                worker.interrupt();
            }
        }
    }

    /// Whether the client has gone.
    public synchronized boolean isGone() {
        return isGone;
    }

    /// The work is over: from here on nobody is interrupted.
    @Override
    public synchronized void close() {
        if (!isOver) {
            isOver = true;
            if (isGone) {
                Thread.interrupted(); // It was ours, and nobody needs it any more.
            }
        }
    }

    /// Waits until the connection is not read here any more: until the client sends its next request or leaves.
    /// To be called when the answer has been sent to its last byte, else both sides would wait for each other.
    public void awaitReader() {
        Thread reading = reading();
        if (reading == null) {
            return;
        }
        try {
            reading.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloseConnectionException("the server closes the connection", e);
        }
    }

    private synchronized @Nullable Thread reading() {
        return reader;
    }
}
