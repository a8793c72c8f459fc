package dev.glovebox.cell.net;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The head of an answer of HTTP/1.
///
/// @param status 100 to 999
public record HttpHead(int status, String reason, List<HttpRequest.Header> headers) {
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] ([1-9][0-9]{2})(?: (.*))?");
    private static final Pattern FIELD = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*(.*?)[ \\t]*");
    private static final int LAST_WITHOUT_BODY = 199;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    public HttpHead {
        headers = List.copyOf(headers);
    }

    static HttpHead parse(List<String> lines) throws IOException {
        Matcher first = STATUS_LINE.matcher(lines.isEmpty() ? "" : lines.getFirst());
        if (!first.matches()) {
            throw malformed("its first line is not that of HTTP/1.1");
        }
        List<HttpRequest.Header> headers = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            Matcher field = FIELD.matcher(line);
            if (!field.matches()) {
                throw malformed("a header line is not NAME: VALUE");
            }
            headers.add(new HttpRequest.Header(field.group(1), field.group(2)));
        }
        String reason = first.group(2);
        return new HttpHead(Integer.parseInt(first.group(1)), reason == null ? "" : reason, headers);
    }

    /// Whether another head follows, the true one.
    boolean isInformational() {
        return status <= LAST_WITHOUT_BODY && status != 101;
    }

    HttpBody.Framing framing(String method) throws IOException {
        if (method.equals("HEAD") || status <= LAST_WITHOUT_BODY || status == NO_CONTENT || status == NOT_MODIFIED) {
            return new HttpBody.Framing.Length(0);
        }
        List<String> encodings = values("Transfer-Encoding");
        if (!encodings.isEmpty()) {
            if (encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked")) {
                throw malformed("its Transfer-Encoding is not just chunked");
            }
            return new HttpBody.Framing.Chunked();
        }
        List<String> lengths = values("Content-Length").stream().distinct().toList();
        if (lengths.isEmpty()) {
            return new HttpBody.Framing.ToTheEnd();
        }
        if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]{1,18}")) {
            throw malformed("its Content-Length is not one number");
        }
        return new HttpBody.Framing.Length(Long.parseLong(lengths.getFirst()));
    }

    private List<String> values(String name) {
        return headers.stream()
                .filter(header -> header.is(name))
                .map(HttpRequest.Header::value)
                .toList();
    }

    static ConnectionFailed malformed(String why) {
        return new ConnectionFailed("", "the answer is no HTTP: " + why);
    }
}
