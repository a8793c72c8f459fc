package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The head of a request of HTTP/1, read as RFC 9112 says and without any of the liberties that it allows: what
/// two readers could understand in two ways is refused, for the second one is the server with the secret.
record HttpHead(String method, String target, int minorVersion, List<HttpField> fields) {
    private static final Pattern REQUEST_LINE =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\\x21-\\x7e]+) HTTP/1\\.([01])");
    private static final Pattern FIELD_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]++");

    HttpHead {
        fields = List.copyOf(fields);
    }

    /// Reads a head, its empty line included.
    ///
    /// @throws HttpRefusal `http.malformed` if it is not one, or could be read in two ways
    static HttpHead parse(byte[] head, int length) throws HttpRefusal {
        String text = new String(head, 0, length, StandardCharsets.ISO_8859_1);
        if (!text.endsWith("\r\n\r\n")) {
            throw malformed("its head does not end with an empty line");
        }
        String[] lines = text.substring(0, text.length() - 4).split("\r\n", -1);
        if (lines[0].startsWith("PRI * HTTP/2")) {
            throw new HttpRefusal("http.version", "HTTP/2 without TLS is not carried: use HTTP/1.1");
        }
        Matcher request = REQUEST_LINE.matcher(lines[0]);
        if (!request.matches()) {
            throw malformed("its first line is not METHOD TARGET HTTP/1.1");
        }
        if (lines.length - 1 > Limits.EGRESS_REQUEST_FIELDS_MAX) {
            throw malformed("it has more than " + Limits.EGRESS_REQUEST_FIELDS_MAX + " header lines");
        }
        List<HttpField> fields = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            fields.add(field(lines[i]));
        }
        return new HttpHead(request.group(1), request.group(2), request.group(3).charAt(0) - '0', fields);
    }

    /// One header line, without its end: no folding, no blank before the colon, no control characters. Each
    /// character is looked at once: an expression that goes back and forth over blanks could be kept busy for
    /// seconds by a single head.
    static HttpField field(String line) throws HttpRefusal {
        int colon = line.indexOf(':');
        if (colon < 0 || !FIELD_NAME.matcher(line).region(0, colon).matches()) {
            throw malformed("a header line is not NAME: VALUE");
        }
        int from = colon + 1;
        int to = line.length();
        while (from < to && isBlank(line.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(line.charAt(to - 1))) {
            to--;
        }
        for (int at = from; at < to; at++) {
            char c = line.charAt(at);
            if ((c < 0x20 && c != '\t') || c == 0x7f || c > 0xff) {
                throw malformed("a header line is not NAME: VALUE");
            }
        }
        return new HttpField(line.substring(0, colon), line.substring(from, to));
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    List<String> values(String name) {
        return fields.stream()
                .filter(field -> field.is(name))
                .map(HttpField::value)
                .toList();
    }

    static HttpRefusal malformed(String why) {
        return new HttpRefusal("http.malformed", "the request is not passed on: " + why);
    }
}
