package dev.glovebox.server.api;

import io.helidon.http.Headers;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http1.Http1ConnectionListener;
import org.jspecify.annotations.Nullable;

/// Remembers which HTTP/1.1 connection the current thread serves: Helidon hands a request without it.
public final class ConnectionTracker implements Http1ConnectionListener {
    private static final ThreadLocal<@Nullable ConnectionContext> CURRENT = new ThreadLocal<>();

    @Override
    public void headers(ConnectionContext connection, Headers headers) {
        CURRENT.set(connection);
    }

    /// The connection of a request; null if it is not one of HTTP/1.1.
    public static @Nullable ConnectionContext current(ServerRequest request) {
        ConnectionContext connection = CURRENT.get();
        boolean isIts = connection != null && connection.childSocketId().equals(request.socketId());
        return isIts ? connection : null;
    }
}
