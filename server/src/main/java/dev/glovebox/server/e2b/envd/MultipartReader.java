package dev.glovebox.server.e2b.envd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The parts of a `multipart/form-data` body, one after the other, without holding more of it than a window: a part's
/// content is read from the body as it comes. Not thread-safe.
final class MultipartReader {
    private static final int WINDOW_BYTES = 64 * 1024;
    private static final int HEADERS_BYTES_MAX = 16 * 1024;
    /// RFC 2046.
    private static final int BOUNDARY_CHARS_MAX = 70;

    private final InputStream in;
    /// Ends a part: the end of a line, two dashes and the boundary.
    private final byte[] delimiter;

    private final byte[] window;
    private int from;
    private int to;
    private boolean isAtEnd;
    /// Whether the part that was handed out last has more content.
    private boolean isInPart;

    /// A part.
    ///
    /// @param headers by their names in lower case
    /// @param content to be read before the next part
    record Part(Map<String, String> headers, InputStream content) {}

    /// Reads a body.
    ///
    /// @param boundary what separates its parts
    MultipartReader(InputStream in, String boundary) throws IOException {
        if (boundary.isEmpty() || boundary.length() > BOUNDARY_CHARS_MAX) {
            throw HttpRefusal.invalid("a multipart body's boundary has 1 to " + BOUNDARY_CHARS_MAX + " characters");
        }
        this.in = in;
        this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        this.window = new byte[WINDOW_BYTES];
        // As if a line had ended before the body: its first boundary looks like the others then.
        window[0] = '\r';
        window[1] = '\n';
        to = 2;
        isInPart = true;
    }

    /// The next part; empty after the last.
    Optional<Part> next() throws IOException {
        byte[] rest = new byte[WINDOW_BYTES];
        while (readContent(rest, 0, rest.length) >= 0) {
            // What nobody wanted of the part before, or what stands before the first.
        }
        skip(delimiter.length);
        ensure(2);
        if (window[from] == '-' && window[from + 1] == '-') {
            return Optional.empty();
        }
        endLine();
        Map<String, String> headers = headers();
        isInPart = true;
        return Optional.of(new Part(headers, new Content()));
    }

    /// After a boundary: blanks, and the end of the line.
    private void endLine() throws IOException {
        ensure(1);
        while (window[from] == ' ' || window[from] == '\t') {
            skip(1);
            ensure(1);
        }
        ensure(2);
        if (window[from] != '\r' || window[from + 1] != '\n') {
            throw broken("a boundary does not end its line");
        }
        skip(2);
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        int total = 0;
        for (String line = line(); !line.isEmpty(); line = line()) {
            total += line.length();
            if (total > HEADERS_BYTES_MAX) {
                throw broken("the head of a part is longer than " + HEADERS_BYTES_MAX + " bytes");
            }
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw broken("a part has a line in its head that is no header");
            }
            headers.put(
                    line.substring(0, colon).strip().toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private String line() throws IOException {
        int length = 0;
        while (true) {
            ensure(length + 2);
            if (window[from + length] == '\r' && window[from + length + 1] == '\n') {
                String line = new String(window, from, length, StandardCharsets.UTF_8);
                skip(length + 2);
                return line;
            }
            length++;
            if (length > HEADERS_BYTES_MAX) {
                throw broken("the head of a part is longer than " + HEADERS_BYTES_MAX + " bytes");
            }
        }
    }

    /// Content of the part up to the next delimiter; -1 when the delimiter is next.
    private int readContent(byte[] target, int offset, int length) throws IOException {
        if (!isInPart) {
            return -1;
        }
        if (length == 0) {
            return 0;
        }
        while (true) {
            int found = find();
            if (found == from) {
                isInPart = false;
                return -1;
            }
            // The last bytes may be the beginning of a delimiter, unless a whole one was found.
            int safe = (found >= 0 ? found : to - delimiter.length + 1) - from;
            if (safe > 0) {
                int count = Math.min(safe, length);
                System.arraycopy(window, from, target, offset, count);
                skip(count);
                return count;
            }
            if (!fill()) {
                throw broken("the body ends within a part");
            }
        }
    }

    /// Where the delimiter begins in the window; -1 if it is not there.
    private int find() {
        int last = to - delimiter.length;
        for (int at = from; at <= last; at++) {
            if (window[at] == '\r' && isDelimiter(at)) {
                return at;
            }
        }
        return -1;
    }

    private boolean isDelimiter(int at) {
        for (int i = 1; i < delimiter.length; i++) {
            if (window[at + i] != delimiter[i]) {
                return false;
            }
        }
        return true;
    }

    private void skip(int count) {
        from += count;
    }

    private void ensure(int count) throws IOException {
        while (to - from < count) {
            if (!fill()) {
                throw broken("the body ends before its last boundary");
            }
        }
    }

    /// Takes more of the body into the window; false at its end.
    private boolean fill() throws IOException {
        if (isAtEnd) {
            return false;
        }
        if (from > 0) {
            System.arraycopy(window, from, window, 0, to - from);
            to -= from;
            from = 0;
        }
        int count = in.read(window, to, window.length - to);
        isAtEnd = count < 0;
        to += Math.max(0, count);
        return !isAtEnd;
    }

    private static HttpRefusal broken(String why) {
        return HttpRefusal.invalid("the body is not multipart/form-data as it should be: " + why);
    }

    /// The content of one part.
    private final class Content extends InputStream {
        private boolean isOver;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (isOver) {
                return -1;
            }
            int count = readContent(target, offset, length);
            isOver = count < 0;
            return count;
        }
    }
}
