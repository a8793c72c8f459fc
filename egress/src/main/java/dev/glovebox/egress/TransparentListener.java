package dev.glovebox.egress;

import dev.glovebox.core.egress.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/// Accepts what a sandbox connects to: a socket that listens where every connection of the sandbox ends up.
public final class TransparentListener implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(TransparentListener.class.getName());
    private static final long PAUSE_MILLIS = 50;

    private final ServerSocketChannel socket;
    private final SandboxEgress sandbox;
    private final Destination destination;

    /// Where a connection wanted to go. With addresses that the kernel takes for local ones it is the socket's
    /// own address.
    public interface Destination {
        /// Local address and port as the guest gave them.
        Destination OWN_ADDRESS = channel -> (InetSocketAddress) channel.getLocalAddress();

        /// Finds out.
        InetSocketAddress of(SocketChannel accepted) throws IOException;
    }

    private TransparentListener(ServerSocketChannel socket, SandboxEgress sandbox, Destination destination) {
        this.socket = socket;
        this.sandbox = sandbox;
        this.destination = destination;
    }

    /// Begins to accept.
    ///
    /// @param socket listening, blocking; closed by [#close]
    public static TransparentListener start(
            ServerSocketChannel socket, SandboxEgress sandbox, Destination destination) {
        TransparentListener listener = new TransparentListener(socket, sandbox, destination);
        Thread.ofVirtual().name("egress-listener").start(listener::run);
        return listener;
    }

    private void run() {
        while (socket.isOpen()) {
            try {
                accept(socket.accept());
            } catch (ClosedChannelException _) {
                return;
            } catch (IOException | RuntimeException e) {
                // Too many open files, most likely: the guest's connections wait, and this thread does not spin.
                LOG.log(System.Logger.Level.WARNING, "a connection of a sandbox could not be accepted", e);
                pause();
            }
        }
    }

    private void accept(SocketChannel accepted) {
        try {
            InetSocketAddress wanted = destination.of(accepted);
            IpAddress address = Sockets.address(wanted);
            sandbox.accept(accepted, address, wanted.getPort());
        } catch (IOException | RuntimeException e) {
            Sockets.close(accepted, true);
            LOG.log(System.Logger.Level.DEBUG, "a connection of a sandbox went away at once", e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Idempotent.
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a listener could not be closed", e);
        }
    }
}
