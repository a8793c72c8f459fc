package dev.glovebox.server.e2b.envd;

import io.helidon.http.Header;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// What a client wants to be remembered of a file: headers `X-Metadata-NAME`, kept as extended attributes.
final class FileMetadata {
    private static final String PREFIX = "x-metadata-";
    private static final int NAME_BYTES_MAX = 246;
    private static final int TOTAL_BYTES_MAX = 4096;

    private FileMetadata() {}

    /// The extended attributes that a request's headers ask for.
    static Map<String, String> attributes(EnvdCall call) {
        Map<String, String> attributes = new LinkedHashMap<>();
        int total = 0;
        for (Header header : call.request().headers()) {
            String name = header.name().toLowerCase(Locale.ROOT);
            if (!name.startsWith(PREFIX)) {
                continue;
            }
            String key = name.substring(PREFIX.length());
            String value = header.get();
            check(key, value);
            total += key.length() + value.length();
            attributes.put(FileInfos.METADATA + key, value);
        }
        if (total > TOTAL_BYTES_MAX) {
            throw HttpRefusal.invalid("the metadata has " + total + " bytes; the bound is " + TOTAL_BYTES_MAX);
        }
        return attributes;
    }

    private static void check(String key, String value) {
        if (key.isEmpty() || key.length() > NAME_BYTES_MAX || !isPrintable(key) || !isPrintable(value)) {
            throw HttpRefusal.invalid("metadata has names of 1 to " + NAME_BYTES_MAX
                    + " characters, and printable ASCII characters only");
        }
    }

    private static boolean isPrintable(String text) {
        return text.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
    }
}
