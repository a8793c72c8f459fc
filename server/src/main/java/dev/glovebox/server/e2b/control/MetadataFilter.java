package dev.glovebox.server.e2b.control;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// The query parameter `metadata` of a list. Clients encode names and values, join them as a query would be, encode
/// that, and it is encoded once more as a part of the query: three times in all.
final class MetadataFilter {
    private MetadataFilter() {}

    /// Reads it.
    ///
    /// @param text as the query holds it, decoded once
    static Map<String, String> parse(String text) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : decode(text).split("&", -1)) {
            int equals = pair.indexOf('=');
            if (pair.isEmpty()) {
                continue;
            }
            if (equals < 1) {
                throw ControlError.invalid("the query parameter 'metadata' is name=value, joined by '&'");
            }
            pairs.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
        }
        return pairs;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw ControlError.invalid("the query parameter 'metadata' holds a '%' without two hexadecimal digits");
        }
    }
}
