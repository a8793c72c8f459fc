package dev.glovebox.core.egress;

import java.util.Locale;
import java.util.Set;

/// The headers that say where an HTTP/1.1 message goes or ends (RFC 9112 §6, RFC 9110 §7.6.1): who sets one changes
/// what
/// the next one sees as a request.
public final class FramingHeaders {
    private static final Set<String> NAMES = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "upgrade",
            "expect",
            "http2-settings");

    private FramingHeaders() {}

    /// Whether a header of this name, in upper or lower case, is one of them. So it is with underscores for hyphens:
    /// some servers take the one for the other.
    public static boolean contains(String name) {
        return NAMES.contains(name.toLowerCase(Locale.ROOT).replace('_', '-'));
    }
}
