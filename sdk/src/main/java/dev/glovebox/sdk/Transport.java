package dev.glovebox.sdk;

import dev.glovebox.wire.api.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Requests to one server over connections that are kept. Thread-safe; calls block.
final class Transport implements AutoCloseable {
    /// Idle connections that are worth keeping.
    private static final int IDLE_CONNECTIONS_MAX = 16;

    private final Endpoint endpoint;
    private final @Nullable String key;
    private final Deque<HttpConnection> idle = new ArrayDeque<>();
    private boolean closed;

    Transport(Endpoint endpoint, @Nullable String key) {
        if (key != null && !key.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("an API key consists of visible ASCII characters");
        }
        this.endpoint = endpoint;
        this.key = key;
    }

    /// Whether somebody takes connections there; the one that showed it is kept for the first request.
    boolean isAnswered() {
        try {
            giveBack(endpoint.open(), true);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// What to do with an answer while its connection is held.
    interface Handler<T> {
        T handle(InputStream body) throws IOException;
    }

    /// Asks for JSON and returns it as a record.
    <T extends Record> T json(String method, String target, @Nullable Record body, Class<T> answer) {
        HttpBody content =
                body == null ? new HttpBody.None(!method.equals("GET")) : new HttpBody.Bytes(RecordJson.write(body));
        return call(method, target, "application/json", content, in -> read(answer, in));
    }

    /// Asks for something that has no answer but success.
    void send(String method, String target, @Nullable Record body) {
        HttpBody content =
                body == null ? new HttpBody.None(!method.equals("GET")) : new HttpBody.Bytes(RecordJson.write(body));
        call(method, target, "application/json", content, in -> in.skip(Long.MAX_VALUE));
    }

    /// Sends a request and hands the body of a successful answer to `handler`. An exception from there closes
    /// the connection, which tells the server to stop.
    <T> T call(String method, String target, String accept, HttpBody body, Handler<T> handler) {
        HttpConnection connection = null;
        boolean kept = false;
        try {
            connection = take();
            HttpReply reply = connection.exchange(head(method, target, accept, body), body);
            T answer;
            if (reply.status() >= 400) {
                throw failure(reply);
            } else {
                answer = handler.handle(reply.body());
            }
            kept = reply.keepsConnection() && isAtEnd(reply.body());
            return answer;
        } catch (IOException e) {
            throw unanswered(e);
        } finally {
            if (connection != null) {
                giveBack(connection, kept);
            }
        }
    }

    /// Asks for a connection that speaks plain TCP once the server has answered.
    PortConnection upgrade(String target) {
        HttpBody none = new HttpBody.None(false);
        String head = head("GET", target, "application/problem+json", none).stripTrailing()
                + "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
        HttpConnection connection = null;
        boolean kept = false;
        try {
            connection = take();
            HttpReply reply = connection.exchange(head, none);
            if (reply.status() != HttpConnection.SWITCHING) {
                throw failure(reply);
            }
            kept = true;
            return new PortConnection(connection);
        } catch (IOException e) {
            throw unanswered(e);
        } finally {
            if (connection != null && !kept) {
                connection.close();
            }
        }
    }

    private TransportException unanswered(IOException e) {
        return new TransportException("the server at " + endpoint.name() + " did not answer: " + e.getMessage(), e);
    }

    private static boolean isAtEnd(FramedInput body) throws IOException {
        return body.isConsumed() || (body.read() < 0 && body.isConsumed());
    }

    static <T extends Record> T read(Class<T> type, InputStream body) {
        try {
            return RecordJson.read(type, body, RecordJson.UnknownFields.PASSED_OVER);
        } catch (MalformedJsonException e) {
            throw new TransportException("the server's answer is not understood: " + e.getMessage(), e);
        }
    }

    private static RuntimeException failure(HttpReply reply) {
        String type = reply.headers().getOrDefault("content-type", "");
        if (!type.startsWith("application/problem+json")) {
            return new TransportException("the server answered with status " + reply.status(), null);
        }
        return new ApiException(read(Problem.class, reply.body()));
    }

    private String head(String method, String target, String accept, HttpBody body) {
        StringBuilder head = new StringBuilder(256)
                .append(method)
                .append(' ')
                .append(target)
                .append(" HTTP/1.1\r\nHost: ")
                .append(endpoint.host())
                .append("\r\nAccept: ")
                .append(accept);
        if (key != null) {
            head.append("\r\nAuthorization: Bearer ").append(key);
        }
        body.describe(head);
        return head.append("\r\n\r\n").toString();
    }

    private HttpConnection take() throws IOException {
        while (true) {
            HttpConnection candidate;
            synchronized (idle) {
                if (closed) {
                    throw new IOException("this client is closed");
                }
                candidate = idle.pollLast();
            }
            if (candidate == null) {
                return endpoint.open();
            }
            if (candidate.isReusable()) {
                return candidate;
            }
            candidate.close();
        }
    }

    private void giveBack(HttpConnection connection, boolean kept) {
        synchronized (idle) {
            if (kept && !closed && idle.size() < IDLE_CONNECTIONS_MAX) {
                idle.addLast(connection);
                return;
            }
        }
        connection.close();
    }

    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
            idle.forEach(HttpConnection::close);
            idle.clear();
        }
    }
}
