package dev.glovebox.cell.net;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.FramingHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// One request of HTTP/1.1, without its body.
///
/// @param target what stands in the first line: path and query
/// @param headers as the guest set them; those that say where the request goes and where it ends are not its to set
/// @param bodyBytes how long the body is; -1 if there is none
public record HttpRequest(
        String method, boolean isTls, String host, int port, String target, List<Header> headers, long bodyBytes) {
    private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}");
    private static final Pattern TARGET = Pattern.compile("/[\\x21-\\x7e]*");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");
    private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");
    private static final Set<String> METHODS_FORBIDDEN = Set.of("CONNECT", "TRACE", "TRACK");

    /// One header line.
    public record Header(String name, String value) {
        boolean is(String other) {
            return name.equalsIgnoreCase(other);
        }
    }

    public HttpRequest {
        headers = List.copyOf(headers);
    }

    /// The head as it is sent.
    ///
    /// @throws ConnectionFailed if anything in it is not what it claims to be, in words
    byte[] head() throws IOException {
        check(
                METHOD.matcher(method).matches() && !METHODS_FORBIDDEN.contains(method.toUpperCase(Locale.ROOT)),
                "the method is no word of HTTP, or one that is never sent");
        check(TARGET.matcher(target).matches(), "the path of the URL holds characters that have to be escaped");
        check(VALUE.matcher(host).matches() && host.indexOf(' ') < 0, "the URL's host is none");
        StringBuilder head = new StringBuilder(256);
        head.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
        line(head, "Host", isDefaultPort() ? host : host + ":" + port);
        for (Header header : headers) {
            check(NAME.matcher(header.name).matches(), "a header's name holds characters that no header name has");
            check(VALUE.matcher(header.value).matches(), "the value of a header holds a line end or the like");
            if (!FramingHeaders.contains(header.name)) {
                line(head, header.name, header.value);
            }
        }
        defaultLine(head, "Accept", "*/*");
        defaultLine(head, "User-Agent", "glovebox");
        if (bodyBytes >= 0) {
            line(head, "Content-Length", Long.toString(bodyBytes));
        }
        line(head, "Connection", "close");
        head.append("\r\n");
        check(
                head.length() <= Limits.FETCH_HEAD_BYTES_MAX,
                "the request's headers are longer than " + Limits.FETCH_HEAD_BYTES_MAX + " bytes");
        return head.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean isDefaultPort() {
        return port == (isTls ? 443 : 80);
    }

    private void defaultLine(StringBuilder head, String name, String value) {
        if (headers.stream().noneMatch(header -> header.is(name))) {
            line(head, name, value);
        }
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private static void check(boolean isRight, String words) throws ConnectionFailed {
        if (!isRight) {
            throw new ConnectionFailed("", words);
        }
    }
}
