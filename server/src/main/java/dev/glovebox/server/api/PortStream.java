package dev.glovebox.server.api;

import dev.glovebox.core.PortPeer;
import io.helidon.common.buffers.DataReader;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// An HTTP connection that becomes the outer end of a connection to a port. From the `101` on, its socket is read and
/// written here and by nobody else.
final class PortStream implements PortPeer {
    static final String PROTOCOL = "tcp";

    private static final byte[] SWITCHING = ("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "
                    + PROTOCOL + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);

    private final SocketChannel socket;
    /// Has what the client sent behind its request, without waiting for the answer.
    private final DataReader early;

    private volatile boolean hasBegun;
    private volatile boolean hasEnded;

    PortStream(SocketChannel socket, DataReader early) {
        this.socket = socket;
        this.early = early;
    }

    /// Whether the connection speaks no HTTP any more.
    boolean hasBegun() {
        return hasBegun;
    }

    @Override
    public void connected() {
        hasBegun = true;
        write(SWITCHING);
    }

    @Override
    public int read(byte[] target) {
        int waiting = Math.min(early.available(), target.length);
        if (waiting > 0) {
            System.arraycopy(early.readBytes(waiting), 0, target, 0, waiting);
            return waiting;
        }
        try {
            return socket.read(ByteBuffer.wrap(target));
        } catch (IOException e) {
            throw new Gone("the client went away", e);
        }
    }

    @Override
    public void write(byte[] bytes) {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        try {
            while (rest.hasRemaining()) {
                socket.write(rest);
            }
        } catch (IOException e) {
            throw new Gone("the client went away", e);
        }
    }

    @Override
    public void end() {
        try {
            hasEnded = true;
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new Gone("the client went away", e);
        }
    }

    @Override
    public void close() {
        try {
            if (!hasEnded && socket.supportedOptions().contains(StandardSocketOptions.SO_LINGER)) {
                // A reset, so that the client does not take a part for the whole.
                socket.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            socket.close();
        } catch (IOException e) {
            // It is gone either way.
        }
    }
}
