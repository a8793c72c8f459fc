package dev.glovebox.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// A client that says exactly what a test wants it to say.
final class RawHttp implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    RawHttp(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /// A reply with a body of known length.
    record Reply(int status, String head, String body) {
        String header(String name) {
            for (String line : head.split("\r\n", -1)) {
                if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")) {
                    return line.substring(name.length() + 1).strip();
                }
            }
            return "";
        }
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    void post(String path, String key, String accept, String body) throws IOException {
        send("POST " + path + " HTTP/1.1\r\nHost: x\r\nAccept: " + accept + "\r\nAuthorization: Bearer " + key
                + "\r\nContent-Length: " + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
    }

    Reply reply() throws IOException {
        String head = until("\r\n\r\n");
        Reply bare = new Reply(Integer.parseInt(head.substring(9, 12)), head, "");
        String length = bare.header("Content-Length");
        byte[] body = in.readNBytes(length.isEmpty() ? 0 : Integer.parseInt(length));
        return new Reply(bare.status(), head, new String(body, StandardCharsets.UTF_8));
    }

    /// What comes up to and with a mark.
    String until(String mark) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.length() < mark.length() || text.indexOf(mark, text.length() - mark.length()) < 0) {
            int b = in.read();
            if (b < 0) {
                throw new IOException("the server closed the connection after: " + text);
            }
            text.append((char) b);
        }
        return text.toString();
    }

    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
