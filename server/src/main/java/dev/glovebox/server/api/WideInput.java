package dev.glovebox.server.api;

import dev.glovebox.core.Limits;
import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.ServerRequest;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The body of a request with a large file in it. Helidon reads 8 KiB from a socket at a time, whoever asks, and holds
/// a chunk as a whole. So the chunks (RFC 9112 §7.1) of a plain HTTP/1.1 request are read here: what Helidon has read
/// ahead from its reader, the rest straight from the socket and never beyond the chunk's end. Helidon takes over at the
/// last chunk, or at one whose head is anything but a size: between two chunks its own reading can begin at any time.
/// Every other body is Helidon's from the start. Closing leaves the connection between two chunks. Not thread-safe.
final class WideInput extends InputStream {
    /// A size in hexadecimal digits; nothing we take has more.
    private static final int SIZE_DIGITS_MAX = 8;
    /// What Helidon has at a time.
    private static final int HELIDONS_BYTES = 8 * 1024;

    private final InputStream helidon;
    private final @Nullable SocketChannel socket;
    private final @Nullable DataReader ahead;
    /// Of the chunk that is being read.
    private long left;
    private long total;
    private boolean isHelidons;
    private boolean isBroken;

    private WideInput(InputStream helidon, @Nullable SocketChannel socket, @Nullable DataReader ahead) {
        this.helidon = helidon;
        this.socket = socket;
        this.ahead = ahead;
        this.isHelidons = socket == null;
    }

    static WideInput of(ServerRequest request, AcceptedSockets sockets) {
        InputStream helidon = request.content().inputStream();
        ConnectionContext connection = ConnectionTracker.current(request);
        boolean isChunked = request.headers()
                .first(HeaderNames.TRANSFER_ENCODING)
                .filter(coding -> coding.toLowerCase(Locale.ROOT).equals("chunked"))
                .isPresent();
        // Who expects a 100 gets it from Helidon when the body is first read.
        boolean isWide = isChunked && !request.headers().contains(HeaderNames.EXPECT);
        return connection == null || connection.isSecure() || !isWide
                ? new WideInput(helidon, null, null)
                : new WideInput(helidon, sockets.of(connection), connection.dataReader());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        return length == 0 ? 0 : read(ByteBuffer.wrap(target, offset, length));
    }

    /// As much as is there, at least a byte; -1 at the end. Into a buffer outside of the JVM's heap it is not copied on
    /// the
    /// way.
    int read(ByteBuffer target) throws IOException {
        if (left == 0 && !isHelidons) {
            beginChunk();
        }
        if (isHelidons || socket == null || ahead == null) {
            return readHelidons(target);
        }
        int most = (int) Math.min(target.remaining(), left);
        int waiting = Math.min(ahead.available(), most);
        int count = waiting > 0 ? put(ahead.readBytes(waiting), target) : receive(socket, target, most);
        left -= count;
        if (left == 0 && !ahead.readLine().isEmpty()) {
            throw broken("a chunk of the request's body is longer than its size");
        }
        return count;
    }

    private int readHelidons(ByteBuffer target) throws IOException {
        if (target.hasArray()) {
            int at = target.position();
            int count = helidon.read(target.array(), target.arrayOffset() + at, target.remaining());
            target.position(at + Math.max(0, count));
            return count;
        }
        byte[] piece = new byte[Math.min(target.remaining(), HELIDONS_BYTES)];
        int count = helidon.read(piece);
        if (count > 0) {
            target.put(piece, 0, count);
        }
        return count;
    }

    private static int put(byte[] bytes, ByteBuffer target) {
        target.put(bytes);
        return bytes.length;
    }

    private int receive(SocketChannel from, ByteBuffer target, int length) throws IOException {
        int limit = target.limit();
        int count = from.read(target.limit(target.position() + length));
        target.limit(limit);
        if (count < 0) {
            isBroken = true;
            throw new EOFException("the client closed the connection in the middle of a body");
        }
        return count;
    }

    private void beginChunk() {
        if (ahead == null || ahead.lookup() == '0' || ahead.findNewLine(SIZE_DIGITS_MAX) >= SIZE_DIGITS_MAX) {
            isHelidons = true;
            return;
        }
        String size = ahead.readLine();
        try {
            left = Long.parseLong(size, 16);
        } catch (NumberFormatException e) {
            left = 0;
        }
        total += left;
        if (left <= 0) {
            throw broken("a chunk of the request's body has no size");
        }
        if (total > Limits.FILE_BYTES_MAX) {
            // No sandbox has a disk that holds this: its agent has refused it before.
            throw broken("the request's body is larger than the bound of " + Limits.FILE_BYTES_MAX + " bytes");
        }
    }

    private CloseConnectionException broken(String why) {
        isBroken = true;
        return new CloseConnectionException(why);
    }

    /// Passes the rest of the current chunk over, so that Helidon finds what it looks for: the head of a chunk.
    @Override
    public void close() {
        byte[] rest = new byte[(int) Math.min(left, 8 * 1024)];
        try {
            while (left > 0 && !isBroken) {
                read(rest, 0, rest.length);
            }
        } catch (IOException e) {
            isBroken = true;
        }
        if (isBroken) {
            throw new CloseConnectionException("a request's body cannot be read to its end");
        }
    }
}
