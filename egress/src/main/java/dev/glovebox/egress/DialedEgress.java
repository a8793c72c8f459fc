package dev.glovebox.egress;

import dev.glovebox.core.PortPeer;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkUsage;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// The network of a sandbox without a namespace: a name is looked up as if the sandbox had asked for it over DNS, and
/// what it connects to arrives here as if it had come through a listener. Thread-safe.
record DialedEgress(SandboxEgress carried, String systemTrustPem) implements DialedNetwork {
    private static final System.Logger LOG = System.getLogger(DialedEgress.class.getName());
    private static final int SHOWN_CHARS_MAX = 253;

    @Override
    public Optional<PortPeer> dial(String host, int port, Refusals told) {
        Optional<IpAddress> address = address(host, told);
        if (address.isEmpty()) {
            return Optional.empty();
        }
        try {
            LoopbackPair pair = LoopbackPair.open();
            carried.accept(pair.proxy(), address.get(), port, Optional.of(told));
            return Optional.of(new DialedPeer(pair.guest()));
        } catch (IOException failure) {
            LOG.log(System.Logger.Level.WARNING, "a connection of a sandbox could not be taken", failure);
            told.refused("", "the server has no socket for it at the moment");
            return Optional.empty();
        }
    }

    private Optional<IpAddress> address(String host, Refusals told) {
        boolean isBracketed = host.startsWith("[") && host.endsWith("]") && host.length() > 2;
        Optional<IpAddress> literal = IpAddress.parse(isBracketed ? host.substring(1, host.length() - 1) : host);
        if (literal.isPresent()) {
            return literal;
        }
        Optional<HostName> name = HostName.parse(host);
        if (name.isEmpty()) {
            String shown = host.substring(0, Math.min(host.length(), SHOWN_CHARS_MAX));
            told.refused("dns.malformed", HostName.printable(shown) + " is neither a host name nor an address");
            return Optional.empty();
        }
        return switch (carried.find(name.get())) {
            case DnsAnswerer.Found(List<IpAddress> addresses, long _) -> Optional.of(addresses.getFirst());
            case DnsAnswerer.Nothing(int _, String rule, String words) -> {
                told.refused(rule, words);
                yield Optional.empty();
            }
        };
    }

    @Override
    public List<String> trustPem() {
        return List.of(systemTrustPem, carried.authorityPem());
    }

    @Override
    public void replace(NetworkGrant grant) {
        carried.replace(grant);
    }

    @Override
    public NetworkUsage usage() {
        return carried.usage();
    }

    @Override
    public String authorityPem() {
        return carried.authorityPem();
    }

    @Override
    public void close() {
        carried.close();
    }
}
