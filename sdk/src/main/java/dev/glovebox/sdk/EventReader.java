package dev.glovebox.sdk;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Server-sent events (WHATWG HTML §9.2) from a stream of bytes; comments are passed over.
final class EventReader {
    /// The last event of a run holds the files that were fetched.
    private static final int EVENT_BYTES_MAX = 256 * 1024 * 1024;

    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int position;
    private int end;

    EventReader(InputStream in) {
        this.in = in;
    }

    /// One event: its name and its data.
    record Event(String name, byte[] data) {}

    /// The next event.
    ///
    /// @throws EOFException if the stream ends before it
    Event next() throws IOException {
        String name = "message";
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        for (byte[] line = readLine(); line != null; line = readLine()) {
            if (line.length == 0 && data.size() > 0) {
                return new Event(name, data.toByteArray());
            }
            if (startsWith(line, "event: ")) {
                name = new String(line, 7, line.length - 7, StandardCharsets.UTF_8);
            } else if (startsWith(line, "data: ")) {
                data.write(line, 6, line.length - 6);
            }
        }
        throw new EOFException("the server ended the stream before its last event");
    }

    private byte @Nullable [] readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        while (true) {
            for (int i = position; i < end; i++) {
                if (buffer[i] == '\n') {
                    line.write(buffer, position, i - position);
                    position = i + 1;
                    return line.toByteArray();
                }
            }
            line.write(buffer, position, end - position);
            if (line.size() > EVENT_BYTES_MAX) {
                throw new IOException("the server sent an event that is larger than " + EVENT_BYTES_MAX + " bytes");
            }
            position = 0;
            end = Math.max(0, in.read(buffer));
            if (end == 0) {
                return null;
            }
        }
    }

    private static boolean startsWith(byte[] line, String prefix) {
        if (line.length < prefix.length()) {
            return false;
        }
        for (int i = 0; i < prefix.length(); i++) {
            if (line[i] != prefix.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
