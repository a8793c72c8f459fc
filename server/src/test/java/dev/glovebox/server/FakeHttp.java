package dev.glovebox.server;

import dev.glovebox.core.PortPeer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Semaphore;

/// A server inside a fake sandbox. What it does is in the path, and some of it is not nice.
final class FakeHttp {
    /// Lets `/slow` go on by one part.
    static final Semaphore SLOW = new Semaphore(0);

    private final PortPeer peer;
    private final byte[] buffer = new byte[64 * 1024];
    private byte[] rest = new byte[0];

    FakeHttp(PortPeer peer) {
        this.peer = peer;
    }

    void serve() throws InterruptedException {
        String head = head();
        String path = head.split(" ", 3)[1];
        switch (path.replaceAll("\\?.*", "")) {
            case "/echo" -> say("HTTP/1.1 200 OK\r\nX-Path: " + path + "\r\n", head + body(head));
            case "/slow" -> {
                say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                for (int i = 0; i < 3; i++) {
                    SLOW.acquire();
                    say("9\r\ndata: " + i + "\n\n\r\n");
                }
                say("0\r\nX-Trailer: x\r\n\r\n");
            }
            case "/wait" -> {
                say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                while (peer.read(buffer) >= 0) {
                    // Until the client goes.
                }
            }
            case "/until-end" -> say("HTTP/1.0 200 OK\r\n\r\nall of it");
            case "/broken" -> {
                say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
                return;
            }
            case "/broken-chunk" -> {
                say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nonly\r\n");
                return;
            }
            case "/silent" -> {
                return;
            }
            case "/garbage" -> say("SSH-2.0-OpenSSH\r\n");
            case "/cookies" ->
                say(
                        String.join(
                                "\r\n",
                                "HTTP/1.1 302 Found",
                                "Location: /next",
                                "Set-Cookie: a=1; Domain=.box.test; Path=/",
                                "Set-Cookie: b=2",
                                "Connection: close, X-Secret",
                                "X-Secret: s",
                                ""),
                        "");
            case "/nothing" -> say("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nContent-Length: 5\r\n\r\n");
            case "/head" -> say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
            case "/early" -> say("HTTP/1.1 413 Too Much\r\n", "no");
            case "/interim" ->
                say("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            case "/switch" -> {
                say(String.join(
                        "\r\n",
                        "HTTP/1.1 101 Switching Protocols",
                        "Connection: Upgrade",
                        "Upgrade: websocket",
                        "Sec-WebSocket-Accept: yes",
                        "",
                        "hello "));
                for (int count = peer.read(buffer); count >= 0; count = peer.read(buffer)) {
                    peer.write(Arrays.copyOf(buffer, count));
                }
                say(" bye");
            }
            case "/no-switch" -> say("HTTP/1.1 426 Upgrade Required\r\n", "no");
            default -> sayWhatNobodyShould(path);
        }
        peer.end();
    }

    private void sayWhatNobodyShould(String path) {
        switch (path) {
            case "/two-lengths" ->
                say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 30\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n");
            case "/length-and-chunks" ->
                say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            default -> say("HTTP/1.1 404 Not Found\r\n", "what?");
        }
    }

    private void say(String text) {
        peer.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void say(String head, String body) {
        say(head + "Content-Length: " + body.getBytes(StandardCharsets.ISO_8859_1).length + "\r\n\r\n" + body);
    }

    private String head() {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (true) {
            String text = head.toString(StandardCharsets.ISO_8859_1);
            int end = text.indexOf("\r\n\r\n");
            if (end >= 0) {
                rest = Arrays.copyOfRange(head.toByteArray(), end + 4, head.size());
                return text.substring(0, end + 4);
            }
            int count = peer.read(buffer);
            if (count < 0) {
                throw new IllegalStateException("a request without an end: " + text);
            }
            head.write(buffer, 0, count);
        }
    }

    /// The body as it is on the wire, in chunks if it is so.
    private String body(String head) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(rest);
        boolean isChunked = head.contains("Transfer-Encoding: chunked");
        int length = head.contains("Content-Length: ")
                ? Integer.parseInt(head.replaceAll("(?s).*Content-Length: (\\d+).*", "$1"))
                : 0;
        while (isChunked ? !body.toString(StandardCharsets.ISO_8859_1).endsWith("0\r\n\r\n") : body.size() < length) {
            int count = peer.read(buffer);
            if (count < 0) {
                break;
            }
            body.write(buffer, 0, count);
        }
        return length > 100_000 || body.size() > 100_000
                ? "(" + body.size() + " bytes)"
                : body.toString(StandardCharsets.ISO_8859_1);
    }
}
