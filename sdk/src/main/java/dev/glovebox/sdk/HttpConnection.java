package dev.glovebox.sdk;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// One connection that speaks HTTP/1.1, one exchange at a time. Not thread-safe, but [#close()] may come from
/// elsewhere and ends whatever is under way.
final class HttpConnection implements AutoCloseable {
    /// The answer after which the connection speaks another protocol.
    static final int SWITCHING = 101;

    private static final int HEAD_BYTES_MAX = 64 * 1024;

    private final InputStream in;
    private final OutputStream out;
    private final SocketChannel channel;

    HttpConnection(SocketChannel channel) {
        this.in = new BufferedInputStream(Channels.newInputStream(channel), 16 * 1024);
        this.out = Channels.newOutputStream(channel);
        this.channel = channel;
    }

    /// Whether the other side still holds an idle connection open. It must not have sent anything.
    boolean isReusable() {
        try {
            channel.configureBlocking(false);
            int count = channel.read(ByteBuffer.allocate(1));
            channel.configureBlocking(true);
            return count == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /// Sends a request with its body, and reads the head of the response.
    HttpReply exchange(String head, HttpBody body) throws IOException {
        body.send(head.getBytes(StandardCharsets.ISO_8859_1), out);
        out.flush();
        return readReply();
    }

    private HttpReply readReply() throws IOException {
        int[] budget = {HEAD_BYTES_MAX};
        String line = readLine(budget);
        String[] parts = line.split(" ", 3);
        if (parts.length < 2 || !parts[0].startsWith("HTTP/1.1") || !parts[1].matches("[1-5][0-9][0-9]")) {
            throw new IOException("the server does not speak HTTP/1.1");
        }
        Map<String, String> headers = new HashMap<>();
        for (line = readLine(budget); !line.isEmpty(); line = readLine(budget)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        int status = Integer.parseInt(parts[1]);
        return status < 200 && status != SWITCHING
                ? readReply()
                : new HttpReply(status, headers, body(status, headers));
    }

    private FramedInput body(int status, Map<String, String> headers) throws IOException {
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return FramedInput.chunked(in);
        }
        String length = headers.get("content-length");
        if (length == null && status != 204 && status != SWITCHING) {
            throw new IOException("the server's answer has no length");
        }
        try {
            return FramedInput.ofLength(in, length == null ? 0 : Long.parseLong(length));
        } catch (NumberFormatException e) {
            throw new IOException("the server's answer has the length '" + length + "'", e);
        }
    }

    /// What the other side sends, once the connection has switched to another protocol.
    InputStream input() {
        return in;
    }

    /// Takes what we send, once the connection has switched to another protocol.
    OutputStream output() {
        return out;
    }

    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    private String readLine(int[] budget) throws IOException {
        return readLine(in, budget);
    }

    static String readLine(InputStream in, int[] budget) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(80);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (--budget[0] < 0) {
                throw new IOException("the server's answer has a head that is too long");
            }
            line.write(c);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // It is gone either way.
        }
    }
}
