package dev.glovebox.server.api;

import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.ServerRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Notices that a client has gone away while its request is being worked on, and interrupts the thread that
/// works.
///
/// HTTP/1.1 sends nothing while it waits for an answer, so the next bytes on the connection are either the
/// following request or its end. A virtual thread waits for them in the connection's own reader, which keeps
/// what it reads. The connection must not read on before [#awaitReader()] has returned; the wait begins late,
/// so that the usual short request pays for none of this. Over HTTP/2 there is nothing to watch, and only a
/// failing write tells.
public final class ClientWatch implements AutoCloseable {
    /// Shorter requests are not worth watching: their work is over before anybody could stop it.
    private static final Duration DELAY = Duration.ofMillis(50);

    private final Thread worker = Thread.currentThread();
    private final @Nullable Thread reader;
    private boolean isOver;
    private boolean isReading;
    private boolean isGone;

    private ClientWatch(@Nullable ConnectionContext connection) {
        this.reader = connection == null
                ? null
                : Thread.ofVirtual().name("client-watch").start(() -> watch(connection.dataReader()));
    }

    /// Begins to watch the client of a request whose body has been read to its end.
    public static ClientWatch begin(ServerRequest request) {
        boolean isQuiet = request.content().consumed();
        return new ClientWatch(isQuiet ? ConnectionTracker.current(request) : null);
    }

    /// Watches nobody.
    public static ClientWatch none() {
        return new ClientWatch(null);
    }

    private void watch(DataReader data) {
        try {
            Thread.sleep(DELAY);
            synchronized (this) {
                if (isOver) {
                    return;
                }
                isReading = true;
            }
            data.ensureAvailable();
        } catch (InterruptedException e) {
            // The request was over before the watch began.
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
            if (reader != null && !isReading) {
                reader.interrupt();
            }
        }
    }

    /// Waits until the connection is not read here any more: until the client sends its next request or leaves.
    /// To be called when the answer has been sent to its last byte, else both sides would wait for each other.
    public void awaitReader() {
        if (reader == null) {
            return;
        }
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloseConnectionException("the server closes the connection", e);
        }
    }
}
