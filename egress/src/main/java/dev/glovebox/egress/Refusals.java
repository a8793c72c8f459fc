package dev.glovebox.egress;

import dev.glovebox.core.egress.Handshake;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// Tells a guest that something is not open to it, in the language that it speaks: so that a person who reads
/// the error knows whom to ask.
final class Refusals {
    /// A fatal alert, access_denied (RFC 8446), in clear.
    private static final byte[] TLS_ACCESS_DENIED = {21, 3, 3, 0, 2, 2, 49};

    private Refusals() {}

    /// Tells, and closes.
    static void refuse(SocketChannel guest, Handshake handshake, String rule, String reason) {
        boolean isTold = false;
        try {
            switch (handshake) {
                case Handshake.Tls _ -> {
                    guest.write(ByteBuffer.wrap(TLS_ACCESS_DENIED));
                    isTold = true;
                }
                case Handshake.Http _ -> {
                    guest.write(ByteBuffer.wrap(http(rule, reason)));
                    isTold = true;
                }
                case Handshake.NotRead _, Handshake.Silent _, Handshake.Unreadable _ -> {}
            }
        } catch (IOException _) {
            // It is gone already.
        }
        Sockets.close(guest, !isTold);
    }

    static void overHttp(OutputStream out, String rule, String reason) throws IOException {
        out.write(http(rule, reason));
        out.flush();
    }

    private static byte[] http(String rule, String reason) {
        String body = "Glovebox: " + reason + " (rule " + rule + ")\n";
        String text = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\nConnection: close\r\n\r\n" + body;
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
