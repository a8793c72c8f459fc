package dev.glovebox.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// Listens on a loopback address of this machine and bridges every connection to one of its own to a port inside a
/// sandbox, until it is closed. Made by [Sandbox#forward].
public final class PortForward implements AutoCloseable {
    private static final int COPY_BYTES = 64 * 1024;

    private final Sandbox sandbox;
    private final int port;
    private final Consumer<RuntimeException> onFailure;
    private final ServerSocketChannel listening;
    private final InetSocketAddress address;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

    private PortForward(Sandbox sandbox, int port, Consumer<RuntimeException> onFailure, ServerSocketChannel listening)
            throws IOException {
        this.sandbox = sandbox;
        this.port = port;
        this.onFailure = onFailure;
        this.listening = listening;
        this.address = (InetSocketAddress) listening.getLocalAddress();
    }

    /// Binds and begins to accept.
    ///
    /// @param local 0 takes any port that is free
    static PortForward start(Sandbox sandbox, int local, int port, Consumer<RuntimeException> onFailure)
            throws IOException {
        ServerSocketChannel listening = ServerSocketChannel.open();
        try {
            listening.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), local));
            PortForward forward = new PortForward(sandbox, port, onFailure, listening);
            Thread.ofVirtual().name("forward-" + port).start(forward::accept);
            return forward;
        } catch (IOException | RuntimeException e) {
            listening.close();
            throw e;
        }
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return address;
    }

    private void accept() {
        try {
            while (listening.isOpen()) {
                SocketChannel local = listening.accept();
                Thread.ofVirtual().name("forward-" + port).start(() -> serve(local));
            }
        } catch (IOException e) {
            if (listening.isOpen()) {
                onFailure.accept(new TransportException("no more connections are taken: " + e.getMessage(), e));
            }
        }
    }

    private void serve(SocketChannel local) {
        open.add(local);
        try (PortConnection inside = sandbox.connect(port)) {
            local.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (listening.isOpen()) {
                bridge(local, inside);
                local.close();
            }
        } catch (ApiException | TransportException refusal) {
            onFailure.accept(refusal);
        } catch (IOException e) {
            // One of the two went away; both are closed, and there is nobody to tell.
        } finally {
            reset(local);
            open.remove(local);
        }
    }

    /// Returns when both directions are over; one that breaks takes the other with it.
    private static void bridge(SocketChannel local, PortConnection inside) throws IOException {
        Thread outbound = Thread.ofVirtual().start(() -> {
            try {
                copy(Channels.newInputStream(local), inside.output());
                inside.shutdownOutput();
            } catch (IOException e) {
                inside.close();
            }
        });
        copy(inside.input(), Channels.newOutputStream(local));
        local.shutdownOutput();
        try {
            outbound.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] buffer = new byte[COPY_BYTES];
        for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
            to.write(buffer, 0, count);
        }
    }

    /// Closes a connection, if it is open, so that its other end does not take a part for the whole.
    private static void reset(SocketChannel socket) {
        try (socket) {
            socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            // It is closed either way.
        }
    }

    /// Listens no longer, and breaks off what is bridged.
    @Override
    public void close() {
        try (listening) {
            open.forEach(PortForward::reset);
        } catch (IOException e) {
            // It is closed either way.
        }
        open.forEach(PortForward::reset);
    }
}
