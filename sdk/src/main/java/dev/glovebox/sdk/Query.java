package dev.glovebox.sdk;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/// A path with query parameters, built up.
final class Query {
    private final StringBuilder target;
    private char separator = '?';

    Query(String path) {
        target = new StringBuilder(path);
    }

    Query with(String name, String value) {
        target.append(separator).append(name).append('=').append(encode(value));
        separator = '&';
        return this;
    }

    /// A text as one part of a path.
    static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
