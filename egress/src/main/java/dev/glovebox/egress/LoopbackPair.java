package dev.glovebox.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/// Two sockets of this process that are connected with each other, over the loopback interface: all that carries
/// guests' connections is made for such sockets. The one that listens lives for the moment of connecting, and whoever
/// else connects to it meanwhile is turned away.
///
/// @param guest the end of whoever speaks for the guest
/// @param proxy the end where the guest's connection arrives
record LoopbackPair(SocketChannel guest, SocketChannel proxy) {
    private static final int BACKLOG = 16;
    private static final int STRANGERS_MAX = 64;

    static LoopbackPair open() throws IOException {
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG)) {
            SocketChannel guest = SocketChannel.open(listener.getLocalAddress());
            try {
                LoopbackPair pair = new LoopbackPair(guest, accept(listener, guest));
                guest.setOption(StandardSocketOptions.TCP_NODELAY, true);
                pair.proxy.setOption(StandardSocketOptions.TCP_NODELAY, true);
                return pair;
            } catch (IOException | RuntimeException failure) {
                Sockets.close(guest, true);
                throw failure;
            }
        }
    }

    private static SocketChannel accept(ServerSocketChannel listener, SocketChannel guest) throws IOException {
        for (int i = 0; i < STRANGERS_MAX; i++) {
            SocketChannel accepted = listener.accept();
            if (guest.getLocalAddress().equals(accepted.getRemoteAddress())) {
                return accepted;
            }
            Sockets.close(accepted, true);
        }
        throw new IOException("others keep connecting to a socket of ours");
    }
}
