package dev.glovebox.core.egress;

import java.util.List;
import java.util.Optional;

/// Addresses that no rule opens, because what answers there is the host, its neighbours or nobody: IANA's
/// registries of special-purpose addresses (RFC 6890 and its successors), multicast, and the places where
/// clouds keep credentials. Only a tunnel reaches beyond, and a tunnel is defined by an administrator.
public final class SpecialAddresses {
    private SpecialAddresses() {}

    /// Why an address is special.
    ///
    /// @param word the end of the rule's name: `always.` + word
    /// @param words what such addresses are
    public record Special(String word, Cidr range, String words) {}

    // The first that matches counts, so the more telling one stands first.
    private static final List<Special> IPV4 = List.of(
            special("metadata", "169.254.169.254", "a cloud's metadata service"),
            special("metadata", "169.254.170.2", "a cloud's metadata service"),
            special("metadata", "100.100.100.200", "a cloud's metadata service"),
            special("metadata", "168.63.129.16", "a cloud's metadata service"),
            special("metadata", "192.0.0.192", "a cloud's metadata service"),
            special("private", "10.0.0.0/8", "a private network"),
            special("private", "172.16.0.0/12", "a private network"),
            special("private", "192.168.0.0/16", "a private network"),
            special("loopback", "127.0.0.0/8", "the machine itself"),
            special("link_local", "169.254.0.0/16", "the local link"),
            special("cgnat", "100.64.0.0/10", "a provider's inner network"),
            special("this_network", "0.0.0.0/8", "the machine itself"),
            special("reserved", "192.0.0.0/24", "protocol assignments"),
            special("reserved", "192.0.2.0/24", "documentation"),
            special("reserved", "198.51.100.0/24", "documentation"),
            special("reserved", "203.0.113.0/24", "documentation"),
            special("6to4", "192.88.99.0/24", "a relay from IPv4 to IPv6"),
            special("reserved", "198.18.0.0/15", "benchmarks of inner networks"),
            special("multicast", "224.0.0.0/4", "groups of machines"),
            special("reserved", "240.0.0.0/4", "nobody, or everybody on the link"));

    private static final List<Special> IPV6 = List.of(
            special("metadata", "fd00:ec2::254", "a cloud's metadata service"),
            special("loopback", "::1", "the machine itself"),
            special("unspecified", "::", "the machine itself"),
            special("mapped", "::ffff:0:0/96", "an IPv4 address in disguise"),
            special("mapped", "::/96", "an IPv4 address in disguise"),
            special("nat64", "64:ff9b::/96", "an IPv4 address behind a translator"),
            special("nat64", "64:ff9b:1::/48", "an IPv4 address behind a translator"),
            special("link_local", "fe80::/10", "the local link"),
            special("private", "fc00::/7", "a private network"),
            special("private", "fec0::/10", "a private network"),
            special("multicast", "ff00::/8", "groups of machines"),
            special("6to4", "2002::/16", "an IPv4 address behind a relay"),
            special("teredo", "2001::/32", "an IPv4 address behind a relay"),
            special("reserved", "2001::/23", "protocol assignments"),
            special("reserved", "2001:db8::/32", "documentation"),
            special("reserved", "3fff::/20", "documentation"));

    /// All that is given out to the public so far; what lies outside belongs to nobody.
    private static final Cidr GLOBAL = range("2000::/3");

    private static final Special NOBODYS = new Special("reserved", Cidr.ALL_V6, "nobody yet");

    /// Why no rule opens this address; empty for an ordinary one.
    public static Optional<Special> of(IpAddress address) {
        for (Special special : address.isV4() ? IPV4 : IPV6) {
            if (special.range().contains(address)) {
                return Optional.of(special);
            }
        }
        if (!address.isV4() && !GLOBAL.contains(address)) {
            return Optional.of(NOBODYS);
        }
        return Optional.empty();
    }

    /// Why no rule opens any address of this range (of several reasons the first one's); empty if one is ordinary.
    static Optional<Special> of(Cidr range) {
        boolean isV4 = range.base().isV4();
        List<Special> registry = isV4 ? IPV4 : IPV6;
        for (Special special : registry) {
            if (special.range().covers(range)) {
                return Optional.of(special);
            }
        }
        if (!isV4 && !GLOBAL.covers(range) && !range.covers(GLOBAL)) {
            return Optional.of(NOBODYS);
        }
        boolean isOrdinary = registry.stream().noneMatch(special -> range.covers(special.range()));
        if (isOrdinary && (isV4 || GLOBAL.covers(range))) {
            return Optional.empty();
        }
        // Special ranges lie inside, and may make it up together.
        List<Cidr> halves = range.halves();
        Optional<Special> lower = of(halves.getFirst());
        return lower.isPresent() && of(halves.getLast()).isPresent() ? lower : Optional.empty();
    }

    private static Special special(String word, String range, String words) {
        return new Special(word, range(range), words);
    }

    private static Cidr range(String text) {
        return Cidr.parse(text).orElseThrow(() -> new IllegalArgumentException(text));
    }
}
