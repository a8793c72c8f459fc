package dev.glovebox.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads a file's lines from a position on, with bounded memory. A last line without a newline is not a line
/// yet: it is [#rest]. Reading takes no lock and may go on while a server appends. Not thread-safe.
final class LineReader implements AutoCloseable {
    private final InputStream in;
    private byte[] buffer = new byte[8 * 1024];
    private int begin;
    private int end;
    private long position;

    LineReader(Path file, long from) throws IOException {
        this.in = Files.newInputStream(file);
        this.position = from;
        try {
            in.skipNBytes(from);
        } catch (IOException failure) {
            in.close();
            throw failure;
        }
    }

    /// The next line without its newline; null when there is no whole one.
    ///
    /// @throws IllegalArgumentException if a line is longer than any that we write
    byte @Nullable [] next() throws IOException {
        int scanned = begin;
        while (true) {
            for (; scanned < end; scanned++) {
                if (buffer[scanned] == '\n') {
                    byte[] line = Arrays.copyOfRange(buffer, begin, scanned);
                    position += line.length + 1L;
                    begin = scanned + 1;
                    return line;
                }
            }
            if (end - begin > AuditFormat.LINE_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "it is longer than " + AuditFormat.LINE_BYTES_MAX + " bytes, as no record is");
            }
            scanned -= begin;
            if (!fill()) {
                return null;
            }
        }
    }

    /// Moves what is unread to the front and reads more behind it.
    private boolean fill() throws IOException {
        System.arraycopy(buffer, begin, buffer, 0, end - begin);
        end -= begin;
        begin = 0;
        if (end == buffer.length) {
            buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        int count = in.read(buffer, end, buffer.length - end);
        end += Math.max(0, count);
        return count > 0;
    }

    /// Where in the file the next line begins.
    long position() {
        return position;
    }

    /// Bytes after the last newline, once [#next] has answered null.
    byte[] rest() {
        return Arrays.copyOfRange(buffer, begin, end);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
