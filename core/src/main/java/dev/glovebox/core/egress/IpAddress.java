package dev.glovebox.core.egress;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An address as its bits. Text is read strictly: four decimal numbers without leading zeros, or RFC 4291
/// without a zone; the octal, hexadecimal and single-number spellings that some programs understand are not
/// addresses here.
///
/// @param high the upper 64 bits of an IPv6 address; 0 for IPv4
/// @param low the lower 64 bits; the 32 bits of an IPv4 address
public record IpAddress(Family family, long high, long low) {
    private static final int GROUPS = 8;

    public enum Family {
        IPV4(32),
        IPV6(128);

        private final int bits;

        Family(int bits) {
            this.bits = bits;
        }

        public int bits() {
            return bits;
        }
    }

    public IpAddress {
        if (family == Family.IPV4 && (high != 0 || low >>> 32 != 0)) {
            throw new IllegalArgumentException("an IPv4 address has 32 bits");
        }
    }

    public static IpAddress v4(int bits) {
        return new IpAddress(Family.IPV4, 0, bits & 0xffff_ffffL);
    }

    /// From 4 or 16 bytes in network order. Unlike `InetAddress` it leaves an IPv4-mapped IPv6 address what it
    /// is.
    public static IpAddress of(byte[] bytes) {
        if (bytes.length == 4) {
            return new IpAddress(Family.IPV4, 0, number(bytes, 0, 4));
        }
        if (bytes.length == 16) {
            return new IpAddress(Family.IPV6, number(bytes, 0, 8), number(bytes, 8, 16));
        }
        throw new IllegalArgumentException("an address has 4 or 16 bytes, not " + bytes.length);
    }

    /// Empty if the text is not an address.
    public static Optional<IpAddress> parse(String text) {
        return text.indexOf(':') >= 0 ? parseV6(text) : parseV4(text).map(IpAddress::v4);
    }

    public boolean isV4() {
        return family == Family.IPV4;
    }

    /// In network order: 4 bytes or 16.
    public byte[] bytes() {
        byte[] bytes = new byte[family.bits() / Byte.SIZE];
        for (int i = 0; i < bytes.length; i++) {
            int fromEnd = bytes.length - 1 - i;
            long half = fromEnd < Long.BYTES ? low : high;
            bytes[i] = (byte) (half >>> ((fromEnd % Long.BYTES) * Byte.SIZE));
        }
        return bytes;
    }

    private static long number(byte[] bytes, int from, int to) {
        long number = 0;
        for (int i = from; i < to; i++) {
            number = (number << Byte.SIZE) | (bytes[i] & 0xff);
        }
        return number;
    }

    private static Optional<Integer> parseV4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return Optional.empty();
        }
        int bits = 0;
        for (String part : parts) {
            int value = decimal(part);
            if (value < 0) {
                return Optional.empty();
            }
            bits = (bits << Byte.SIZE) | value;
        }
        return Optional.of(bits);
    }

    /// -1 unless the text is a number of 0 to 255 in the one way to write it.
    private static int decimal(String text) {
        if (text.isEmpty() || text.length() > 3 || (text.length() > 1 && text.charAt(0) == '0')) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            value = value * 10 + (digit - '0');
        }
        return value <= 255 ? value : -1;
    }

    private static Optional<IpAddress> parseV6(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return Optional.empty();
        }
        Optional<List<Integer>> before = groups(gap >= 0 ? text.substring(0, gap) : text, gap < 0);
        Optional<List<Integer>> after = groups(gap >= 0 ? text.substring(gap + 2) : "", true);
        if (before.isEmpty() || after.isEmpty()) {
            return Optional.empty();
        }
        int count = before.get().size() + after.get().size();
        if (gap < 0 ? count != GROUPS : count >= GROUPS) {
            return Optional.empty();
        }
        List<Integer> all = new ArrayList<>(before.get());
        while (all.size() + after.get().size() < GROUPS) {
            all.add(0);
        }
        all.addAll(after.get());
        long high = 0;
        long low = 0;
        for (int i = 0; i < GROUPS; i++) {
            high = (high << 16) | (low >>> 48);
            low = (low << 16) | all.get(i);
        }
        return Optional.of(new IpAddress(Family.IPV6, high, low));
    }

    /// The 16-bit groups of a part of an IPv6 address; the last two may be written as IPv4 where the address
    /// ends.
    private static Optional<List<Integer>> groups(String text, boolean isEnd) {
        List<Integer> groups = new ArrayList<>();
        if (text.isEmpty()) {
            return Optional.of(groups);
        }
        String[] parts = text.split(":", -1);
        for (int i = 0; i < parts.length; i++) {
            if (isEnd && i == parts.length - 1 && parts[i].indexOf('.') >= 0) {
                Optional<Integer> v4 = parseV4(parts[i]);
                if (v4.isEmpty()) {
                    return Optional.empty();
                }
                groups.add(v4.get() >>> 16);
                groups.add(v4.get() & 0xffff);
            } else if (parts[i].matches("[0-9a-fA-F]{1,4}")) {
                groups.add(Integer.parseInt(parts[i], 16));
            } else {
                return Optional.empty();
            }
        }
        return Optional.of(groups);
    }

    /// The one spelling: dotted decimal, or RFC 5952.
    @Override
    public String toString() {
        if (isV4()) {
            return (low >>> 24) + "." + ((low >>> 16) & 0xff) + "." + ((low >>> 8) & 0xff) + "." + (low & 0xff);
        }
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (int) (((i < 4 ? high : low) >>> ((3 - i % 4) * 16)) & 0xffff);
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - i > length) {
                start = i;
                length = end - i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
