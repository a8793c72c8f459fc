package dev.glovebox.egress;

import dev.glovebox.core.egress.IpAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;

/// Small things that sockets need.
final class Sockets {
    private Sockets() {}

    /// Closes without a word about failures.
    ///
    /// @param isReset whether the other side shall see that it was broken off, instead of a regular end
    static void close(SocketChannel channel, boolean isReset) {
        try {
            if (isReset && channel.isOpen()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException | UnsupportedOperationException _) {
            // Then it ends regularly.
        }
        try {
            channel.close();
        } catch (IOException _) {
            // It is gone.
        }
    }

    static InetSocketAddress address(IpAddress address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address.bytes()), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes", e);
        }
    }

    static IpAddress address(InetSocketAddress address) {
        return IpAddress.of(address.getAddress().getAddress());
    }
}
