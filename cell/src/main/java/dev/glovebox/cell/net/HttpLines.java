package dev.glovebox.cell.net;

import dev.glovebox.core.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// What a server sends, read as lines and as bytes. Lines are bounded, all together. Not thread-safe.
final class HttpLines {
    private static final int BUFFER_BYTES = 16 * 1024;

    private final Connection connection;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int to;

    HttpLines(Connection connection) {
        this.connection = connection;
    }

    /// Up to an empty line, which is left out.
    List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        int left = Limits.FETCH_HEAD_BYTES_MAX;
        for (String line = line(left); !line.isEmpty(); line = line(left)) {
            lines.add(line);
            left -= line.length() + 1;
        }
        return lines;
    }

    String line() throws IOException {
        return line(Limits.FETCH_HEAD_BYTES_MAX);
    }

    private String line(int most) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            if (from == to && !fill()) {
                throw new ConnectionFailed("", "the server closed the connection before its answer was complete");
            }
            int end = from;
            while (end < to && buffer[end] != '\n') {
                end++;
            }
            line.append(new String(buffer, from, end - from, StandardCharsets.ISO_8859_1));
            if (line.length() > most) {
                throw HttpHead.malformed("its head is longer than " + Limits.FETCH_HEAD_BYTES_MAX + " bytes");
            }
            if (end < to) {
                from = end + 1;
                int length = line.length();
                return line.substring(0, length > 0 && line.charAt(length - 1) == '\r' ? length - 1 : length);
            }
            from = end;
        }
    }

    private boolean fill() throws IOException {
        from = 0;
        to = Math.max(connection.read(buffer, 0, buffer.length, 0), 0);
        return to > 0;
    }

    /// At least one byte, or -1.
    int read(byte[] target, int length) throws IOException {
        if (from == to) {
            return connection.read(target, 0, length, 0);
        }
        int count = Math.min(length, to - from);
        System.arraycopy(buffer, from, target, 0, count);
        from += count;
        return count;
    }
}
