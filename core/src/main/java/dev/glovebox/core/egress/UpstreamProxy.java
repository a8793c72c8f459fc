package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.Optional;

/// A SOCKS5 proxy of the tenant's through which all connections of a sandbox leave, after they were decided.
///
/// @param host a name or a public address
public record UpstreamProxy(String host, int port, Optional<Login> login) {
    private static final int TEXT_BYTES_MAX = 255;

    public UpstreamProxy {
        if (IpAddress.parse(host).isEmpty() && HostName.parse(host).isEmpty()) {
            throw invalid("the egress proxy's host is neither an address nor a host name");
        }
        if (port < 1 || port > PortRange.ALL.last()) {
            throw invalid("the egress proxy's port " + port + " is outside 1.." + PortRange.ALL.last());
        }
    }

    /// User and password as RFC 1929 sends them: 1 to 255 bytes each.
    public record Login(String user, String password) {
        public Login {
            for (String text : new String[] {user, password}) {
                int bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
                if (bytes < 1 || bytes > TEXT_BYTES_MAX) {
                    throw invalid("the egress proxy's user and password have 1 to " + TEXT_BYTES_MAX + " bytes");
                }
            }
        }

        /// Never the password.
        @Override
        public String toString() {
            return "Login[" + HostName.printable(user) + "]";
        }
    }

    /// `host:port`, with an IPv6 address in brackets.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT for anything else
    public static UpstreamProxy parse(String address, Optional<Login> login) {
        AllowRule.Target target = AllowRule.Target.of(address, address);
        PortRange port = PortRange.parse(target.ports());
        if (!port.isSingle()) {
            throw invalid("the egress proxy has one port");
        }
        return new UpstreamProxy(target.host(), port.first(), login);
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
