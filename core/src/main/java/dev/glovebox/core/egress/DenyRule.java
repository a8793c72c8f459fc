package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;

/// Addresses that are closed unless an [AllowRule] opens them. Names cannot be denied: who has an address needs
/// none.
///
/// @param text as it was written
public record DenyRule(String text, Cidr range) {

    /// An address, a range, or `ALL_TRAFFIC`.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT, in E2B's words
    public static DenyRule parse(String entry) {
        if (entry.equals(NetworkPolicy.ALL_TRAFFIC)) {
            return new DenyRule(entry, Cidr.ALL_V4);
        }
        return Cidr.parse(entry)
                .map(range -> new DenyRule(entry, range.unmapped()))
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.INVALID_ARGUMENT, "invalid denied CIDR " + HostName.printable(entry)));
    }

    /// Whether everything is closed by this: who closes all of IPv4 means all there is.
    boolean closesAll() {
        return range.prefix() == 0 && range.base().isV4();
    }

    boolean matches(IpAddress address) {
        return closesAll() || range.contains(address);
    }

    String rule() {
        return "deny_out " + text;
    }
}
