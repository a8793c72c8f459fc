package dev.glovebox.server.api;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// The body of a response over plain HTTP/1.1, of unknown length: small pieces go as Helidon sends them,
/// large ones straight to the socket, because Helidon copies each twice and then asks the kernel for every 8
/// KiB of it. Head and end are always Helidon's; it writes at once and on the thread that asks, so nothing
/// overtakes. Not thread-safe.
final class WideOutput extends OutputStream {
    /// From here on a piece is worth two writes of its own.
    private static final int WIDE_BYTES_MIN = 16 * 1024;

    private static final byte[] LINE_END = {'\r', '\n'};

    private final OutputStream helidon;
    private final SocketChannel socket;
    /// Helidon sends the head with the first piece, and not before.
    private boolean hasBegun;
    /// What Helidon may keep back has gone out.
    private boolean isFlushed;

    /// @param helidon the body as Helidon takes it, chunked (RFC 9112 §7.1)
    /// @param socket that of its connection, which speaks no TLS
    WideOutput(OutputStream helidon, SocketChannel socket) {
        this.helidon = helidon;
        this.socket = socket;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (!hasBegun || length < WIDE_BYTES_MIN) {
            helidon.write(bytes, offset, length);
            hasBegun = hasBegun || length > 0;
            isFlushed = false;
        } else {
            writeChunk(ByteBuffer.wrap(bytes, offset, length));
        }
    }

    /// What lies outside of the JVM's heap is not copied on its way to the socket.
    void write(ByteBuffer bytes) throws IOException {
        if (!hasBegun || bytes.remaining() < WIDE_BYTES_MIN) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            write(copy, 0, copy.length);
        } else {
            writeChunk(bytes);
        }
    }

    private void writeChunk(ByteBuffer content) throws IOException {
        if (!isFlushed) {
            flush();
        }
        byte[] size = (Integer.toHexString(content.remaining()) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        ByteBuffer[] chunk = {ByteBuffer.wrap(size), content, ByteBuffer.wrap(LINE_END)};
        while (chunk[chunk.length - 1].hasRemaining()) {
            socket.write(chunk);
        }
    }

    @Override
    public void flush() throws IOException {
        helidon.flush();
        isFlushed = true;
    }

    @Override
    public void close() throws IOException {
        helidon.close();
    }
}
