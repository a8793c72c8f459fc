package dev.glovebox.server.e2b;

import dev.glovebox.server.api.EarlyResponse;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// An answer that comes in pieces, each of which is on its way when [#write] returns. A client that takes nothing for
/// [#STALL_MAX] loses its connection. Belongs to the thread that serves the request.
public final class ResponseStream implements AutoCloseable {
    /// A client that takes nothing for this long is not coming back.
    static final Duration STALL_MAX = Duration.ofSeconds(60);

    private static final Duration LOOK = Duration.ofSeconds(10);

    private final ServerResponse response;
    private final String mediaType;
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable EarlyResponse out;

    /// The write that is under way: whose it is and since when.
    private volatile @Nullable Pending pending;

    private record Pending(Thread writer, long since) {}

    public ResponseStream(ServerResponse response, String mediaType) {
        this.response = response;
        this.mediaType = mediaType;
    }

    /// Whether the answer has begun, so that a failure can only be told in the stream, or by breaking it.
    public boolean hasBegun() {
        return out != null;
    }

    /// Sends bytes, now.
    ///
    /// @throws CloseConnectionException if the client has gone
    public void write(byte[] bytes) {
        try {
            EarlyResponse stream = open();
            pending = new Pending(Thread.currentThread(), System.nanoTime());
            stream.emit(bytes);
        } catch (RuntimeException e) {
            throw broken(e);
        } finally {
            pending = null;
        }
    }

    private EarlyResponse open() {
        EarlyResponse stream = out;
        if (stream == null) {
            response.header(HeaderNames.CONTENT_TYPE, mediaType);
            response.header(HeaderNames.CACHE_CONTROL, "no-store");
            response.header(HeaderNames.create("X-Accel-Buffering"), "no");
            stream = EarlyResponse.begin(response);
            out = stream;
            Thread.ofVirtual().name("stream-guard").start(this::guard);
        }
        return stream;
    }

    /// Interrupts a write that does not get on, which closes the channel below it.
    private void guard() {
        try {
            while (!over.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                Pending stuck = pending;
                if (stuck != null && System.nanoTime() - stuck.since() > STALL_MAX.toNanos()) {
                    stuck.writer().interrupt();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Ends the answer, as one that is complete.
    public void finish() {
        try {
            open().close();
        } catch (RuntimeException e) {
            throw broken(e);
        }
    }

    private CloseConnectionException broken(Exception cause) {
        close();
        return new CloseConnectionException("the client went away", cause);
    }

    /// Gives up what watches over the stream; ends nothing.
    @Override
    public void close() {
        over.countDown();
    }
}
