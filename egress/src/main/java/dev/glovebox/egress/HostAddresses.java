package dev.glovebox.egress;

import dev.glovebox.core.egress.IpAddress;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The addresses of this host. An interface may come at any time, so they are read anew every few seconds.
/// Thread-safe.
public final class HostAddresses implements Supplier<Set<IpAddress>> {
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();

    private volatile Read last = read();

    private record Read(Set<IpAddress> addresses, long at) {}

    @Override
    public Set<IpAddress> get() {
        Read known = last;
        if (System.nanoTime() - known.at > FRESH_NANOS) {
            known = read();
            last = known;
        }
        return known.addresses;
    }

    private static Read read() {
        try {
            Set<IpAddress> addresses = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .map(InetAddress::getAddress)
                    .map(IpAddress::of)
                    .collect(Collectors.toUnmodifiableSet());
            return new Read(addresses, System.nanoTime());
        } catch (SocketException e) {
            // Without them nothing could be told from the host, so nothing is allowed.
            throw new IllegalStateException("the host's own addresses cannot be read", e);
        }
    }
}
