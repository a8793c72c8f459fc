package dev.glovebox.egress;

import dev.glovebox.core.PortPeer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// The outer end of a connection that a sandbox in a cell asked for.
final class DialedPeer implements PortPeer {
    private final SocketChannel socket;
    private volatile boolean isEnded;

    /// @param socket blocking, connected; closed by [#close]
    DialedPeer(SocketChannel socket) {
        this.socket = socket;
    }

    /// It stood before.
    @Override
    public void connected() {}

    @Override
    public int read(byte[] target) {
        try {
            return socket.read(ByteBuffer.wrap(target));
        } catch (IOException broken) {
            throw new Gone("the connection was broken off", broken);
        }
    }

    @Override
    public void write(byte[] bytes) {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        try {
            while (left.hasRemaining()) {
                socket.write(left);
            }
        } catch (IOException broken) {
            throw new Gone("the connection was broken off", broken);
        }
    }

    @Override
    public void end() {
        isEnded = true;
        try {
            socket.shutdownOutput();
        } catch (IOException broken) {
            throw new Gone("the connection was broken off", broken);
        }
    }

    @Override
    public void close() {
        Sockets.close(socket, !isEnded);
    }
}
