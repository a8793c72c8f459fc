package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.ArrayList;
import java.util.List;

/// One thing that may be reached. As text, in E2B's words and three more:
///
/// | text | opens |
/// |---|---|
/// | `1.2.3.4`, `1.2.3.0/24` | TCP to these addresses, every port |
/// | `1.2.3.4:5432`, `1.2.3.0/24:8000-8100`, `[2600::1]:443` | TCP to these ports there |
/// | `udp://1.2.3.4:123` | UDP to this port of this address |
/// | `example.com`, `*.example.com` | web (TLS or HTTP) on ports 80 and 443, and only where the name is shown |
/// | `example.com:8443` | the same on another port |
/// | `tcp://example.com:22` | TCP to the addresses of the name, whatever is spoken |
public sealed interface AllowRule {
    /// The ports of a name without a port.
    List<PortRange> WEB = List.of(PortRange.of(80), PortRange.of(443));

    String RULE = "allow_out ";

    /// As it was written.
    String text();

    /// How the record names it.
    default String rule() {
        return RULE + text();
    }

    /// Addresses and ports.
    record ToAddress(String text, Protocol protocol, Cidr range, PortRange ports) implements AllowRule {
        boolean matches(EgressAttempt attempt) {
            return attempt.protocol() == protocol
                    && range.contains(attempt.address())
                    && ports.contains(attempt.port());
        }
    }

    /// A name.
    ///
    /// @param isRaw whether any protocol may be spoken with the addresses that the name had; otherwise each
    ///     connection shows the name in a TLS handshake or an HTTP request
    record ToName(String text, HostPattern host, List<PortRange> ports, boolean isRaw) implements AllowRule {
        public ToName {
            ports = List.copyOf(ports);
        }

        boolean covers(int port) {
            return ports.stream().anyMatch(range -> range.contains(port));
        }
    }

    /// Reads one entry.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT, in words that name the entry
    static AllowRule parse(String entry) {
        int scheme = entry.indexOf("://");
        String kind = scheme < 0 ? "" : entry.substring(0, scheme);
        String target = scheme < 0 ? entry : entry.substring(scheme + 3);
        if (scheme >= 0 && !kind.equals("tcp") && !kind.equals("udp")) {
            throw invalid(entry, "it begins with tcp://, udp:// or without any");
        }
        if (entry.equals("*")) {
            throw invalid(entry, "to open everything, write ALL_TRAFFIC");
        }
        if (entry.equals(NetworkPolicy.ALL_TRAFFIC)) {
            return new ToAddress(entry, Protocol.TCP, Cidr.ALL_V4, PortRange.ALL);
        }
        Target parts = Target.of(entry, target);
        List<PortRange> ports = ports(parts.ports());
        return Cidr.parse(parts.host())
                .<AllowRule>map(range -> toAddress(entry, kind, range.unmapped(), ports))
                .orElseGet(() -> toName(entry, kind, parts.host(), ports));
    }

    private static AllowRule toAddress(String entry, String kind, Cidr range, List<PortRange> ports) {
        if (ports.size() > 1) {
            throw invalid(entry, "an address has one port or one range of ports");
        }
        PortRange asked = ports.isEmpty() ? PortRange.ALL : ports.getFirst();
        boolean isUdp = kind.equals("udp");
        if (isUdp && !(range.isSingle() && asked.isSingle())) {
            throw invalid(entry, "UDP is opened for one address and one port, as in udp://1.2.3.4:123");
        }
        return new ToAddress(entry, isUdp ? Protocol.UDP : Protocol.TCP, range, asked);
    }

    private static AllowRule toName(String entry, String kind, String host, List<PortRange> ports) {
        if (kind.equals("udp")) {
            throw invalid(entry, "UDP is opened for an address, not for a name");
        }
        if (host.indexOf('/') >= 0 || host.indexOf(':') >= 0 || host.matches("[0-9.]+")) {
            throw invalid(entry, "it is neither an address, nor a range of addresses, nor a host name");
        }
        if (host.equalsIgnoreCase(NetworkPolicy.ALL_TRAFFIC)) {
            throw invalid(entry, "ALL_TRAFFIC is the whole entry, in capitals; ports are opened by 0.0.0.0/0:443");
        }
        boolean isRaw = kind.equals("tcp");
        if (isRaw && ports.isEmpty()) {
            throw invalid(entry, "tcp:// before a name needs a port, as in tcp://example.com:22");
        }
        return new ToName(entry, HostPattern.parse(host), ports.isEmpty() ? WEB : ports, isRaw);
    }

    private static List<PortRange> ports(String text) {
        List<PortRange> ports = new ArrayList<>();
        if (!text.isEmpty()) {
            for (String part : text.split(",", -1)) {
                ports.add(PortRange.parse(part));
            }
        }
        return ports;
    }

    private static GloveboxException invalid(String entry, String why) {
        return new GloveboxException(
                ErrorCode.INVALID_ARGUMENT, "invalid allow out entry \"" + HostName.printable(entry) + "\": " + why);
    }

    /// What stands before and after the colon of the ports; an IPv6 address with a port is in brackets.
    record Target(String host, String ports) {
        static Target of(String entry, String text) {
            if (text.startsWith("[")) {
                int end = text.indexOf(']');
                String rest = end < 0 ? "" : text.substring(end + 1);
                if (end < 0 || !(rest.isEmpty() || rest.startsWith(":"))) {
                    throw invalid(entry, "a bracket is not closed, or not followed by a port");
                }
                if (end > 1 && text.substring(1, end).indexOf(':') < 0) {
                    throw invalid(entry, "only an IPv6 address stands in brackets");
                }
                return new Target(text.substring(1, end), rest.isEmpty() ? "" : rest.substring(1));
            }
            int colon = text.indexOf(':');
            if (colon < 0 || text.indexOf(':', colon + 1) >= 0) {
                return new Target(text, "");
            }
            if (colon == text.length() - 1) {
                throw invalid(entry, "there is no port after the colon");
            }
            return new Target(text.substring(0, colon), text.substring(colon + 1));
        }
    }
}
