package dev.glovebox.sdk;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/// Where a server listens.
sealed interface Endpoint {
    int CONNECT_MILLIS_MAX = 10_000;

    /// What the `Host` header says.
    String host();

    /// What messages call it.
    String name();

    HttpConnection open() throws IOException;

    /// A server on this machine; whoever may open the socket is its administrator.
    record Unix(Path socket) implements Endpoint {
        @Override
        public String host() {
            return "localhost";
        }

        @Override
        public String name() {
            return socket.toString();
        }

        @Override
        @SuppressWarnings("MustBeClosedChecker") // The connection owns the channel.
        public HttpConnection open() throws IOException {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                return new HttpConnection(channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }
    }

    /// A server by host and port.
    record Tcp(String address, int port) implements Endpoint {
        @Override
        public String host() {
            boolean bare = address.indexOf(':') >= 0 && !address.startsWith("[");
            return (bare ? "[" + address + "]" : address) + ":" + port;
        }

        @Override
        public String name() {
            return host();
        }

        @Override
        public HttpConnection open() throws IOException {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(new InetSocketAddress(address, port), CONNECT_MILLIS_MAX);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
                return new HttpConnection(channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }
    }

    /// From `http://host:port` or `unix:/path`.
    static Endpoint of(URI uri) {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme();
        if (scheme.equals("unix") && uri.getPath() != null) {
            return new Unix(Path.of(uri.getPath()));
        }
        if (!scheme.equals("http") || uri.getHost() == null) {
            throw new IllegalArgumentException("a server's address is http://host:port or unix:/path, not " + uri
                    + "; for https let a proxy on this machine speak it");
        }
        return new Tcp(uri.getHost(), uri.getPort() >= 0 ? uri.getPort() : 80);
    }
}
