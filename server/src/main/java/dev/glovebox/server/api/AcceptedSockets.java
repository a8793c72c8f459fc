package dev.glovebox.server.api;

import io.helidon.common.socket.SocketOptions;
import io.helidon.webserver.ConnectionContext;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The sockets behind Helidon's connections. Helidon hands out a connection's bytes but not its socket, and only the
/// socket can close one half of it. It does let options set each socket that it accepts, before anything else sees it:
/// these options remember it. Thread-safe.
public final class AcceptedSockets implements SocketOptions {
    private static final int PURGE_MIN = 64;

    private final SocketOptions options;
    /// By the name that Helidon gives a connection. That of a closed one stays until the next purge.
    private final Map<String, WeakReference<SocketChannel>> sockets = new ConcurrentHashMap<>();

    private int purgeAt = PURGE_MIN;

    public AcceptedSockets(SocketOptions options) {
        this.options = options;
    }

    /// The socket of a connection that one of these options' listeners accepted.
    public SocketChannel of(ConnectionContext connection) {
        SocketChannel socket = live(sockets.get(connection.childSocketId()));
        if (socket == null || !isRemote(socket, connection)) {
            throw new IllegalStateException("the socket of connection " + connection.childSocketId() + " is unknown");
        }
        return socket;
    }

    private static boolean isRemote(SocketChannel socket, ConnectionContext connection) {
        try {
            return String.valueOf(socket.getRemoteAddress())
                    .equals(String.valueOf(connection.remotePeer().address()));
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable SocketChannel live(@Nullable WeakReference<SocketChannel> reference) {
        SocketChannel socket = reference == null ? null : reference.get();
        return socket != null && socket.isOpen() ? socket : null;
    }

    /// Called by Helidon for each socket that it accepts; what this throws closes the socket.
    @Override
    public void configureSocket(SocketChannel socket) {
        options.configureSocket(socket);
        remember("0x" + HexFormat.of().toHexDigits(System.identityHashCode(socket)), socket);
    }

    /// The name is a hash, so two may have the same; then the second connection is refused, which happens to one in two
    /// hundred thousand when ten thousand are open.
    private synchronized void remember(String name, SocketChannel socket) {
        if (live(sockets.get(name)) != null) {
            throw new IllegalStateException("two connections would have the name " + name);
        }
        sockets.put(name, new WeakReference<>(socket));
        if (sockets.size() >= purgeAt) {
            sockets.values().removeIf(reference -> live(reference) == null);
            purgeAt = Math.max(PURGE_MIN, 2 * sockets.size());
        }
    }

    @Override
    public Map<SocketOption<?>, Object> socketOptions() {
        return options.socketOptions();
    }

    @Override
    public Duration connectTimeout() {
        return options.connectTimeout();
    }

    @Override
    public Duration readTimeout() {
        return options.readTimeout();
    }

    @Override
    public Optional<Integer> socketReceiveBufferSize() {
        return options.socketReceiveBufferSize();
    }

    @Override
    public Optional<Integer> socketSendBufferSize() {
        return options.socketSendBufferSize();
    }

    @Override
    public boolean socketReuseAddress() {
        return options.socketReuseAddress();
    }

    @Override
    public boolean socketKeepAlive() {
        return options.socketKeepAlive();
    }

    @Override
    public boolean tcpNoDelay() {
        return options.tcpNoDelay();
    }
}
