package dev.glovebox.server.e2b.traffic;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.Http1HeadersParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What a server inside a sandbox answers, in HTTP/1.1. Its bytes are hostile: whatever is not exactly as it should be
/// is refused, because two readers who understand one answer differently are how one client gets another's.
final class GuestResponse {
    private static final int STATUS_LINE_BYTES_MAX = 1024;
    private static final int HEADERS_BYTES_MAX = 64 * 1024;
    private static final int CHUNK_LINE_BYTES_MAX = 256;
    /// Trailers are read and dropped.
    private static final int TRAILERS_BYTES_MAX = 8 * 1024;
    /// Answers before the answer, such as 103: a few are normal.
    private static final int INTERIM_MAX = 16;

    private static final int SWITCHING_PROTOCOLS = 101;

    private final DataReader data;
    private final int status;
    private final Headers headers;
    private Body body;

    /// Where the body ends.
    private sealed interface Body {
        record Nothing() implements Body {}

        record Known(long left) implements Body {}

        /// @param left of the chunk that is being read
        record Chunks(long left) implements Body {}

        record UntilEnd() implements Body {}
    }

    private GuestResponse(DataReader data, int status, Headers headers, Body body) {
        this.data = data;
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    /// Reads from a link.
    static DataReader reader(PortLink link) {
        return DataReader.create(() -> {
            try {
                return link.read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /// Reads the head of an answer; passes interim ones over.
    ///
    /// @param isHead whether the request was one for the head alone
    /// @param mayUpgrade whether the request asked for another protocol
    /// @throws IOException if the connection broke off, or what came is no answer
    static GuestResponse read(DataReader data, boolean isHead, boolean mayUpgrade) throws IOException {
        try {
            for (int i = 0; i < INTERIM_MAX; i++) {
                int status = status(line(data, STATUS_LINE_BYTES_MAX));
                Headers headers = Http1HeadersParser.readHeaders(data, HEADERS_BYTES_MAX, true);
                if (status == SWITCHING_PROTOCOLS && mayUpgrade) {
                    return new GuestResponse(data, status, headers, new Body.Nothing());
                }
                if (status >= 200) {
                    return new GuestResponse(data, status, headers, body(status, headers, isHead));
                }
                if (status == SWITCHING_PROTOCOLS) {
                    throw new IOException("it switches protocols unasked");
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (RuntimeException e) {
            throw new IOException("what it answers is no HTTP/1.1", e);
        }
        throw new IOException("it answers and answers without an answer");
    }

    private static String line(DataReader data, int bytesMax) throws IOException {
        int end = data.findNewLine(bytesMax);
        if (end >= bytesMax) {
            throw new IOException("a line is too long");
        }
        String line = data.readAsciiString(end);
        data.skip(2);
        return line;
    }

    private static int status(String line) throws IOException {
        if (!line.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
            throw new IOException("its status line is none");
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    private static Body body(int status, Headers headers, boolean isHead) throws IOException {
        if (isHead || status == 204 || status == 205 || status == 304) {
            return new Body.Nothing();
        }
        List<String> codings = headers.all(HeaderNames.TRANSFER_ENCODING, List::of);
        List<String> lengths = headers.all(HeaderNames.CONTENT_LENGTH, List::of);
        if (!codings.isEmpty()) {
            if (codings.size() > 1
                    || !codings.getFirst().strip().toLowerCase(Locale.ROOT).equals("chunked")) {
                throw new IOException("its transfer coding is not chunked");
            }
            if (!lengths.isEmpty()) {
                throw new IOException("it has a length and chunks");
            }
            return new Body.Chunks(0);
        }
        if (lengths.isEmpty()) {
            return new Body.UntilEnd();
        }
        if (lengths.size() > 1 || !lengths.getFirst().strip().matches("[0-9]{1,18}")) {
            throw new IOException("its length is none");
        }
        return new Body.Known(Long.parseLong(lengths.getFirst().strip()));
    }

    int status() {
        return status;
    }

    boolean isUpgrade() {
        return status == SWITCHING_PROTOCOLS;
    }

    /// Its headers, those about the connection among them.
    Headers headers() {
        return headers;
    }

    boolean hasBody() {
        return !(body instanceof Body.Nothing);
    }

    /// The next part of the body; null at its end.
    ///
    /// @throws IOException if the connection broke off before the end
    byte @Nullable [] next() throws IOException {
        try {
            return switch (body) {
                case Body.Nothing _ -> null;
                case Body.Known(long left) -> nextOf(left);
                case Body.Chunks(long left) -> nextOfChunks(left);
                case Body.UntilEnd _ -> nextUntilEnd();
            };
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (RuntimeException e) {
            throw new IOException("its answer broke off", e);
        }
    }

    private byte @Nullable [] nextOf(long left) {
        if (left == 0) {
            body = new Body.Nothing();
            return null;
        }
        byte[] part = part(left);
        body = new Body.Known(left - part.length);
        return part;
    }

    private byte @Nullable [] nextOfChunks(long left) throws IOException {
        long size = left > 0 ? left : chunk();
        if (size == 0) {
            Http1HeadersParser.readHeaders(data, TRAILERS_BYTES_MAX, true);
            body = new Body.Nothing();
            return null;
        }
        byte[] part = part(size);
        long rest = size - part.length;
        if (rest == 0) {
            if (data.read() != '\r' || data.read() != '\n') {
                throw new IOException("a chunk does not end where it should");
            }
        }
        body = new Body.Chunks(rest);
        return part;
    }

    private long chunk() throws IOException {
        String line = line(data, CHUNK_LINE_BYTES_MAX);
        int semicolon = line.indexOf(';');
        String size = (semicolon < 0 ? line : line.substring(0, semicolon)).strip();
        if (!size.matches("[0-9a-fA-F]{1,15}")) {
            throw new IOException("the size of a chunk is none");
        }
        return Long.parseLong(size, 16);
    }

    private byte @Nullable [] nextUntilEnd() {
        try {
            return part(Long.MAX_VALUE);
        } catch (DataReader.InsufficientDataAvailableException _) {
            body = new Body.Nothing();
            return null;
        }
    }

    private byte[] part(long max) {
        data.ensureAvailable();
        return data.readBytes((int) Math.min(data.available(), max));
    }
}
