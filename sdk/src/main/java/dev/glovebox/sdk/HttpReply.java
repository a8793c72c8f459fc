package dev.glovebox.sdk;

import java.util.Map;

/// The head of a response, and its body still to be read. Header names are in lower case.
record HttpReply(int status, Map<String, String> headers, FramedInput body) {
    boolean keepsConnection() {
        return !"close".equalsIgnoreCase(headers.get("connection"));
    }
}
