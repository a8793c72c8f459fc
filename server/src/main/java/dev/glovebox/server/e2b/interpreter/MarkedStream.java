package dev.glovebox.server.e2b.interpreter;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// One output stream of a shell, in which a line with a mark and a number ends each execution. Not thread-safe.
final class MarkedStream {
    private static final int STATUS_CHARS_MAX = 8;

    /// What begins the line, with the blank before the number.
    private final byte[] mark;
    /// What may be the beginning of a mark.
    private byte[] held = new byte[0];

    private int found = -1;
    private int status = -1;

    MarkedStream(String mark) {
        this.mark = ("\036" + mark + " ").getBytes(StandardCharsets.US_ASCII);
    }

    /// Another execution begins.
    void begin() {
        held = new byte[0];
        found = -1;
        status = -1;
    }

    /// The number behind the mark, once [#handedOn] was called; -1 before.
    int status() {
        return status;
    }

    /// What was returned by the last push is where it belongs.
    void handedOn() {
        status = found;
    }

    /// Takes what was written.
    ///
    /// @return what of it is the execution's own output
    byte[] push(byte[] bytes) {
        if (found >= 0) {
            return new byte[0];
        }
        byte[] all = Arrays.copyOf(held, held.length + bytes.length);
        System.arraycopy(bytes, 0, all, held.length, bytes.length);
        int at = find(all);
        if (at < 0) {
            held = new byte[0];
            return all;
        }
        int end = at + mark.length;
        while (end < all.length && all[end] != '\n') {
            end++;
        }
        if (at + mark.length <= all.length && end < all.length) {
            found = number(new String(all, at + mark.length, end - at - mark.length, StandardCharsets.US_ASCII));
            held = new byte[0];
        } else {
            held = Arrays.copyOfRange(all, at, all.length);
        }
        return Arrays.copyOf(all, at);
    }

    /// Where a mark begins, or what may become one at the end.
    private int find(byte[] all) {
        for (int at = 0; at < all.length; at++) {
            int length = Math.min(mark.length, all.length - at);
            if (Arrays.equals(all, at, at + length, mark, 0, length)) {
                return at;
            }
        }
        return -1;
    }

    private static int number(String text) {
        return text.length() <= STATUS_CHARS_MAX && text.matches("[0-9]+") ? Integer.parseInt(text) : 0;
    }
}
