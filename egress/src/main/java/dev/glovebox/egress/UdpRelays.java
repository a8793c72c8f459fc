package dev.glovebox.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.egress.AllowRule;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.Protocol;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A relay for each address and port that the rules of a sandbox open for UDP. Thread-safe.
final class UdpRelays implements AutoCloseable {
    private final Namespace namespace;
    private final SandboxEgress sandbox;
    private final Map<Place, UdpRelay> running = new HashMap<>();

    private record Place(IpAddress address, int port) {}

    UdpRelays(Namespace namespace, SandboxEgress sandbox) {
        this.namespace = namespace;
        this.sandbox = sandbox;
    }

    /// Opens what is missing and closes what is not named any more.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if one cannot be opened; then all is as it was
    synchronized void adapt(NetworkPolicy policy) {
        Set<Place> wanted = new HashSet<>();
        for (AllowRule rule : policy.allowOut()) {
            if (rule instanceof AllowRule.ToAddress to && to.protocol() == Protocol.UDP) {
                // One address and one port: the rule takes no more.
                wanted.add(new Place(to.range().base(), to.ports().first()));
            }
        }
        List<Place> opened = new ArrayList<>();
        try {
            for (Place place : wanted) {
                if (!running.containsKey(place)) {
                    running.put(place, open(place));
                    opened.add(place);
                }
            }
        } catch (IOException failure) {
            opened.forEach(this::close);
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "UDP cannot be opened in the sandbox: " + failure.getMessage() + "; nothing was changed",
                    failure);
        }
        Set.copyOf(running.keySet()).stream()
                .filter(place -> !wanted.contains(place))
                .forEach(this::close);
    }

    private UdpRelay open(Place place) throws IOException {
        if (!sandbox.datagrams().take(1)) {
            throw new IOException("the UDP sockets of all sandboxes are too many for now");
        }
        try {
            return start(place);
        } catch (IOException | RuntimeException failure) {
            sandbox.datagrams().give(1);
            throw failure;
        }
    }

    private UdpRelay start(Place place) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(place.address.bytes()), place.port);
        return UdpRelay.start(NamespacePort.bind(namespace, address), sandbox, place.address, place.port);
    }

    private void close(Place place) {
        UdpRelay relay = running.remove(place);
        if (relay != null) {
            relay.close();
            sandbox.datagrams().give(1);
        }
    }

    @Override
    public synchronized void close() {
        Set.copyOf(running.keySet()).forEach(this::close);
    }
}
