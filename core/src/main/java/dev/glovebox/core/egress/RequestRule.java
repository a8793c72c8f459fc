package dev.glovebox.core.egress;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;

/// What happens to requests to a host that an [AllowRule] opens. Its TLS ends at the proxy, with a certificate
/// of the sandbox's own authority, so that every single request is looked at.
///
/// @param headers set on each request, in place of what the guest sent under that name; may be empty: then
///     requests are only checked
public record RequestRule(HostPattern host, SequencedMap<String, HeaderTemplate> headers) {
    public RequestRule {
        if (headers.size() > Limits.NETWORK_HEADERS_PER_RULE_MAX) {
            throw invalid("the rule for " + host + " sets " + headers.size() + " headers; the bound is "
                    + Limits.NETWORK_HEADERS_PER_RULE_MAX);
        }
        SequencedMap<String, HeaderTemplate> checked = new LinkedHashMap<>();
        for (Map.Entry<String, HeaderTemplate> header : headers.entrySet()) {
            checkName(host, header.getKey());
            checked.put(header.getKey(), header.getValue());
        }
        if (checked.keySet().stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .distinct()
                        .count()
                < checked.size()) {
            throw invalid("the rule for " + host + " sets a header twice");
        }
        headers = Collections.unmodifiableSequencedMap(checked);
    }

    private static void checkName(HostPattern host, String name) {
        if (name.length() > Limits.NETWORK_HEADER_NAME_CHARS_MAX) {
            throw invalid("the rule for " + host + " has a header name of " + name.length()
                    + " characters; the bound is " + Limits.NETWORK_HEADER_NAME_CHARS_MAX);
        }
        if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+")) {
            throw invalid("the rule for " + host + " has a header name with characters that no header name has");
        }
        if (FramingHeaders.contains(name)) {
            throw invalid("the rule for " + host + " sets the header " + name
                    + ", which says where a request goes or ends: no rule sets that");
        }
    }

    /// Whether something that the sandbox must not see is sent by this rule.
    public boolean hasPlaceholders() {
        return headers.values().stream().anyMatch(HeaderTemplate::hasPlaceholders);
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
