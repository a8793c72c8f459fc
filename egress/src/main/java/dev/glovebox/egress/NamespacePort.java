package dev.glovebox.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkNamespace;
import dev.glovebox.core.egress.NetworkPort;
import dev.glovebox.core.egress.SandboxNetwork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;

/// The sockets in a namespace of a sandbox: every TCP connection that the sandbox makes, wherever to, arrives
/// at the one that listens (the supervisor's program `sk_lookup` sees to that, guest/supervisor/steer.c), and
/// its own address is where the guest wanted to go; queries for names arrive at port 53. Thread-safe.
final class NamespacePort implements NetworkPort {
    private static final System.Logger LOG = System.getLogger(NamespacePort.class.getName());
    /// The address of the group of listeners: guest/supervisor/network.h has it too.
    private static final byte[] LISTENER = {127, 127, 127, 127};

    private static final int LISTENER_PORT = 1;
    private static final int DNS_PORT = 53;
    private static final int BACKLOG = 512;

    private final Egress egress;
    private final Namespace namespace;
    private final ServerSocketChannel connections;
    private final DatagramChannel queries;
    private @Nullable PortNetwork network;
    private boolean closed;

    private NamespacePort(
            Egress egress, Namespace namespace, ServerSocketChannel connections, DatagramChannel queries) {
        this.egress = egress;
        this.namespace = namespace;
        this.connections = connections;
        this.queries = queries;
    }

    static NamespacePort open(Egress egress, NetworkNamespace place) {
        try {
            Namespace namespace = Namespace.open(place);
            try {
                ServerSocketChannel connections = namespace.within(NamespacePort::listen);
                try {
                    return new NamespacePort(egress, namespace, connections, bind(namespace, DNS_PORT));
                } catch (IOException | RuntimeException failure) {
                    close(connections);
                    throw failure;
                }
            } catch (IOException | RuntimeException failure) {
                namespace.close();
                throw failure;
            }
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "the network of a sandbox cannot be opened: " + failure.getMessage(),
                    failure);
        }
    }

    private static ServerSocketChannel listen() throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.INET);
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            // In a jail's namespace what is accepted has the guest's own ports: it must not keep a server off them.
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            return channel.bind(new InetSocketAddress(InetAddress.getByAddress(LISTENER), LISTENER_PORT), BACKLOG);
        } catch (IOException | RuntimeException failure) {
            close(channel);
            throw failure;
        }
    }

    private static DatagramChannel bind(Namespace namespace, int port) throws IOException {
        return bind(namespace, new InetSocketAddress(InetAddress.getByAddress(new byte[4]), port));
    }

    /// A socket for datagrams in the namespace.
    static DatagramChannel bind(Namespace namespace, InetSocketAddress address) throws IOException {
        return namespace.within(() -> {
            DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
            try {
                // Not to be shared: with SO_REUSEADDR a guest in this namespace could take the place over.
                return channel.bind(address);
            } catch (IOException | RuntimeException failure) {
                close(channel);
                throw failure;
            }
        });
    }

    @Override
    public synchronized SandboxNetwork open(SandboxId sandbox, NetworkGrant grant) {
        if (closed || network != null) {
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox has ended");
        }
        SandboxEgress carried = egress.open(sandbox, grant);
        UdpRelays relays = new UdpRelays(namespace, carried);
        PortNetwork opened = new PortNetwork(carried, relays, this);
        network = opened;
        try {
            relays.adapt(grant.policy());
        } catch (GloveboxException failure) {
            opened.close();
            throw failure;
        }
        TransparentListener.start(connections, carried, TransparentListener.Destination.OWN_ADDRESS);
        DnsListener.start(queries, carried);
        return opened;
    }

    @Override
    public void refusedDatagram(IpAddress address, int port) {
        PortNetwork opened;
        synchronized (this) {
            opened = network;
        }
        if (opened != null) {
            opened.carried().refusedDatagram(address, port);
        }
    }

    @Override
    public void close() {
        PortNetwork opened;
        synchronized (this) {
            closed = true;
            opened = network;
        }
        close(connections);
        close(queries);
        if (opened != null) {
            opened.end();
        }
        namespace.close();
    }

    private static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a socket could not be closed", e);
        }
    }
}
