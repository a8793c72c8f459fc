package dev.glovebox.server.e2b.traffic;

import dev.glovebox.server.e2b.traffic.GuestRequest.Framing;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The body of a request on its way to a server inside a sandbox: a short one with its head, a long one by a thread of
/// its own, so that the server may answer before it has read all.
final class RequestBody implements AutoCloseable {
    private static final int SHORT_BYTES_MAX = 64 * 1024;

    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ServerRequest request;
    private final PortLink link;
    private final @Nullable Thread pump;
    private volatile boolean isSent;
    private volatile boolean clientIsGone;

    /// Sends the head, and what belongs to it.
    ///
    /// @throws IOException if the connection broke off
    RequestBody(ServerRequest request, PortLink link, byte[] head) throws IOException {
        this.request = request;
        this.link = link;
        Framing framing = GuestRequest.framing(request);
        long length =
                framing == Framing.LENGTH ? request.headers().contentLength().orElse(0) : Long.MAX_VALUE;
        if (framing == Framing.NONE || length <= SHORT_BYTES_MAX) {
            link.write(framing == Framing.NONE ? head : withAll(head));
            isSent = true;
            pump = null;
        } else {
            link.write(head);
            pump = Thread.ofVirtual().name("request-body").start(() -> pump(framing == Framing.CHUNKS));
        }
    }

    private byte[] withAll(byte[] head) throws IOException {
        byte[] body = all();
        byte[] both = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, both, head.length, body.length);
        return both;
    }

    private byte[] all() throws IOException {
        try (InputStream in = request.content().inputStream()) {
            return in.readAllBytes();
        } catch (RuntimeException e) {
            throw new CloseConnectionException("the client went away", e);
        }
    }

    /// Whether all of it is sent.
    boolean isSent() {
        return isSent;
    }

    /// Whether it will never be complete.
    boolean clientIsGone() {
        return clientIsGone;
    }

    private void pump(boolean isChunked) {
        byte[] buffer = new byte[SHORT_BYTES_MAX];
        try (InputStream in = request.content().inputStream()) {
            for (int count = read(in, buffer); count >= 0; count = read(in, buffer)) {
                if (count > 0) {
                    link.write(isChunked ? chunk(buffer, count) : Arrays.copyOf(buffer, count));
                }
            }
            if (isChunked) {
                link.write(LAST_CHUNK.clone());
            }
            isSent = true;
        } catch (IOException _) {
            // The server inside closed the connection: what it answered before says more.
        }
    }

    private int read(InputStream in, byte[] buffer) throws IOException {
        try {
            return in.read(buffer);
        } catch (IOException | RuntimeException e) {
            clientIsGone = true;
            link.close();
            throw new IOException("the client went away", e);
        }
    }

    private static byte[] chunk(byte[] buffer, int count) {
        byte[] head = (Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] chunk = Arrays.copyOf(head, head.length + count + 2);
        System.arraycopy(buffer, 0, chunk, head.length, count);
        chunk[chunk.length - 2] = '\r';
        chunk[chunk.length - 1] = '\n';
        return chunk;
    }

    /// Whether nobody reads the request any more, so that the connection can go on with the next.
    boolean isOver() {
        Thread thread = pump;
        return thread == null || (isSent && !thread.isAlive());
    }

    /// Nobody wants the rest of it.
    @Override
    public void close() {
        Thread thread = pump;
        if (thread != null) {
            thread.interrupt();
        }
    }
}
