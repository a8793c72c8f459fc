package dev.glovebox.core.egress;

import java.util.List;
import java.util.Optional;

/// A range of addresses: all that share the first `prefix` bits of `base`, whose other bits are zero.
public record Cidr(IpAddress base, int prefix) {
    public static final Cidr ALL_V4 = new Cidr(IpAddress.v4(0), 0);
    public static final Cidr ALL_V6 = new Cidr(new IpAddress(IpAddress.Family.IPV6, 0, 0), 0);

    private static final Cidr MAPPED = new Cidr(new IpAddress(IpAddress.Family.IPV6, 0, 0xffff_0000_0000L), 96);

    public Cidr {
        if (prefix < 0 || prefix > base.family().bits()) {
            throw new IllegalArgumentException(
                    "a prefix of " + prefix + " is outside 0.." + base.family().bits());
        }
        base = masked(base, prefix);
    }

    /// `1.2.3.4`, `1.2.3.0/24`, `2001:db8::/32`; bits below the prefix are dropped, as everybody does. Empty if
    /// the text is neither an address nor a range.
    public static Optional<Cidr> parse(String text) {
        int slash = text.indexOf('/');
        Optional<IpAddress> base = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
        if (base.isEmpty()) {
            return Optional.empty();
        }
        int bits = base.get().family().bits();
        if (slash < 0) {
            return Optional.of(new Cidr(base.get(), bits));
        }
        String prefix = text.substring(slash + 1);
        if (!prefix.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(prefix) > bits) {
            return Optional.empty();
        }
        return Optional.of(new Cidr(base.get(), Integer.parseInt(prefix)));
    }

    /// The same, but a range of IPv4 addresses in IPv6's spelling (`::ffff:1.2.3.0/120`) as what it is: who closes
    /// that means the IPv4 addresses, and connections to them come as such.
    Cidr unmapped() {
        return prefix >= MAPPED.prefix && MAPPED.contains(base)
                ? new Cidr(IpAddress.v4((int) base.low()), prefix - MAPPED.prefix)
                : this;
    }

    public boolean contains(IpAddress address) {
        return address.family() == base.family() && masked(address, prefix).equals(base);
    }

    /// Whether every address of the other is one of this.
    public boolean covers(Cidr other) {
        return prefix <= other.prefix && contains(other.base);
    }

    /// The lower and the upper half.
    ///
    /// @throws IllegalStateException if this is one address
    List<Cidr> halves() {
        int bit = base.family().bits() - prefix - 1;
        if (bit < 0) {
            throw new IllegalStateException("one address has no halves");
        }
        long high = bit >= Long.SIZE ? base.high() | 1L << (bit - Long.SIZE) : base.high();
        long low = bit >= Long.SIZE ? base.low() : base.low() | 1L << bit;
        return List.of(new Cidr(base, prefix + 1), new Cidr(new IpAddress(base.family(), high, low), prefix + 1));
    }

    /// Whether this is one address.
    public boolean isSingle() {
        return prefix == base.family().bits();
    }

    private static IpAddress masked(IpAddress address, int prefix) {
        int dropped = address.family().bits() - prefix;
        long low = dropped >= Long.SIZE ? 0 : (address.low() >>> dropped) << dropped;
        long high = dropped >= 2 * Long.SIZE
                ? 0
                : dropped <= Long.SIZE
                        ? address.high()
                        : (address.high() >>> (dropped - Long.SIZE)) << (dropped - Long.SIZE);
        return new IpAddress(address.family(), high, low);
    }

    @Override
    public String toString() {
        return isSingle() ? base.toString() : base + "/" + prefix;
    }
}
