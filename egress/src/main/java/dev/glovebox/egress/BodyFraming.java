package dev.glovebox.egress;

import java.util.List;

/// How the end of a request's body is found. There is one way for each request, or it is refused.
sealed interface BodyFraming {
    /// So many bytes.
    ///
    /// @param bytes 0 if there is no body
    record Length(long bytes) implements BodyFraming {}

    /// Pieces that say how long they are.
    record Chunked() implements BodyFraming {}

    /// Finds out.
    ///
    /// @throws HttpRefusal `http.framing` if the request says two things, or something that not everybody
    ///     understands
    static BodyFraming of(HttpHead head) throws HttpRefusal {
        List<String> lengths = head.values("Content-Length");
        List<String> encodings = head.values("Transfer-Encoding");
        if (encodings.isEmpty()) {
            return switch (lengths.size()) {
                case 0 -> new Length(0);
                case 1 -> new Length(length(lengths.getFirst()));
                default -> throw refusal("Content-Length stands there more than once");
            };
        }
        if (!lengths.isEmpty()) {
            throw refusal("it has both Content-Length and Transfer-Encoding");
        }
        if (head.minorVersion() == 0) {
            throw refusal("HTTP/1.0 has no Transfer-Encoding");
        }
        if (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked")) {
            throw refusal("Transfer-Encoding is not just chunked");
        }
        return new Chunked();
    }

    private static long length(String text) throws HttpRefusal {
        if (!text.matches("[0-9]{1,18}")) {
            throw refusal("Content-Length is not one number");
        }
        return Long.parseLong(text);
    }

    static HttpRefusal refusal(String why) {
        return new HttpRefusal("http.framing", "the request's end could be read in two ways: " + why);
    }
}
