package dev.glovebox.cell.net;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One request and its answer, on a connection of its own. Blocks; one thread at a time, [#close()] from any.
public final class HttpExchange implements AutoCloseable {
    private static final int INFORMATIONAL_MAX = 16;

    private final HttpRequest request;
    private final Connection connection;
    private final HttpLines in;
    private @Nullable HttpBody body;

    /// Asks for the connection.
    public HttpExchange(GuestNetwork network, HttpRequest request) throws IOException {
        this.request = request;
        byte[] _ = request.head();
        connection = request.isTls()
                ? network.connectSecurely(request.host(), request.port())
                : network.connect(request.host(), request.port());
        in = new HttpLines(connection);
    }

    /// Connects and sends the head.
    public void begin() throws IOException {
        connection.await(0);
        byte[] head = request.head();
        connection.write(head, 0, head.length);
    }

    /// Sends a part of the body.
    public void write(byte[] bytes) throws IOException {
        connection.write(bytes, 0, bytes.length);
    }

    /// Reads the head of the answer; to be called once.
    public HttpHead head() throws IOException {
        for (int i = 0; i < INFORMATIONAL_MAX; i++) {
            HttpHead head = HttpHead.parse(in.lines());
            if (!head.isInformational()) {
                body = new HttpBody(in, head.framing(request.method()));
                return head;
            }
        }
        throw HttpHead.malformed("it never comes to the point");
    }

    /// Reads a part of the answer's body: at least one byte, or -1 at its end.
    public int read(byte[] target) throws IOException {
        HttpBody open = body;
        if (open == null) {
            throw new IllegalStateException("the head comes first");
        }
        return open.read(target);
    }

    @Override
    public void close() {
        connection.close();
    }
}
