package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.SpecialAddresses;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.UpstreamProxy;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Opens the outer half of connections that were decided. Thread-safe; blocks.
final class Dialer {
    private final NameResolver resolver;
    private final Supplier<Set<IpAddress>> own;

    private final Connector connector;

    /// Opens a socket to exactly this address.
    interface Connector {
        /// From the host's own network.
        Connector DIRECT = new Connector() {
            @Override
            public SocketChannel connect(IpAddress address, int port) throws IOException {
                return connectDirectly(address, port);
            }

            @Override
            public DatagramChannel connectUdp(IpAddress address, int port) throws IOException {
                return DatagramChannel.open().connect(Sockets.address(address, port));
            }
        };

        SocketChannel connect(IpAddress address, int port) throws IOException;

        /// A UDP socket that speaks with this address only.
        DatagramChannel connectUdp(IpAddress address, int port) throws IOException;
    }

    Dialer(NameResolver resolver, Supplier<Set<IpAddress>> own, Connector connector) {
        this.resolver = resolver;
        this.own = own;
        this.connector = connector;
    }

    /// To an address that a decision allowed, through the proxy if there is one.
    SocketChannel dial(IpAddress address, int port, Optional<UpstreamProxy> proxy) throws IOException {
        if (proxy.isEmpty()) {
            return connector.connect(address, port);
        }
        SocketChannel channel =
                connector.connect(proxyAddress(proxy.get()), proxy.get().port());
        try {
            Socks5.connect(channel, address, port, proxy.get().login());
            return channel;
        } catch (IOException | RuntimeException e) {
            Sockets.close(channel, true);
            throw e;
        }
    }

    /// A UDP socket towards an address that a decision allowed.
    DatagramChannel dialUdp(IpAddress address, int port) throws IOException {
        return connector.connectUdp(address, port);
    }

    /// To the service of a tunnel, wherever it is: an administrator said so.
    SocketChannel dial(Tunnel tunnel) throws IOException {
        IOException failure = new IOException("the host of the tunnel has no address");
        for (IpAddress address : addresses(tunnel.host())) {
            try {
                return connector.connect(address, tunnel.port());
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }

    /// A tenant names the proxy, so it is held to what a sandbox may reach: it must not lead to the host or
    /// inside.
    private IpAddress proxyAddress(UpstreamProxy proxy) throws IOException {
        for (IpAddress address : addresses(proxy.host())) {
            if (SpecialAddresses.of(address).isEmpty() && !own.get().contains(address)) {
                return address;
            }
        }
        throw new IOException("the egress proxy has no public address");
    }

    private List<IpAddress> addresses(String host) throws IOException {
        Optional<IpAddress> literal = IpAddress.parse(host);
        if (literal.isPresent()) {
            return List.of(literal.get());
        }
        HostName name = HostName.parse(host).orElseThrow(() -> new IOException("not a host name"));
        return resolver.resolve(name).addresses();
    }

    private static SocketChannel connectDirectly(IpAddress address, int port) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.socket()
                    .connect(Sockets.address(address, port), Math.toIntExact(Limits.EGRESS_CONNECT_MAX.toMillis()));
            return channel;
        } catch (IOException | RuntimeException e) {
            Sockets.close(channel, true);
            throw e;
        }
    }
}
