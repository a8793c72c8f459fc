package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.time.Duration;

/// A TCP service that an administrator lets sandboxes reach although it may lie in a private network. A sandbox
/// whose policy names it connects to `NAME.tunnel:port` and sees neither host nor address.
///
/// @param host a name or an address, as the server resolves it
/// @param isTls whether the server speaks TLS with the service (the sandbox speaks plainly), and checks its
///     certificate
/// @param connectionsMax at once, from one sandbox
/// @param bytesMax of one connection, both directions together; 0 is no bound of its own
/// @param idleMax without a byte in either direction
public record Tunnel(
        TunnelName name, String host, int port, boolean isTls, int connectionsMax, long bytesMax, Duration idleMax) {
    public Tunnel {
        if (IpAddress.parse(host).isEmpty() && HostName.parse(host).isEmpty()) {
            throw invalid("the host of tunnel " + name + " is neither an address nor a host name");
        }
        if (port < 1 || port > PortRange.ALL.last()) {
            throw invalid("the port " + port + " of tunnel " + name + " is outside 1.." + PortRange.ALL.last());
        }
        if (connectionsMax < 1 || bytesMax < 0 || !idleMax.isPositive()) {
            throw invalid(
                    "tunnel " + name + " needs at least one connection, no negative bytes and a positive idle time");
        }
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
