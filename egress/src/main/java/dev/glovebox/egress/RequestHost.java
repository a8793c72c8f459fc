package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.Handshake;
import java.util.Optional;

/// Reads the host out of the first request of a plain connection, as its bytes come. Not thread-safe.
final class RequestHost implements FirstBytes {
    private final int port;
    private final byte[] head = new byte[Limits.EGRESS_REQUEST_HEAD_BYTES_MAX];
    private int headBytes;

    RequestHost(int port) {
        this.port = port;
    }

    @Override
    public Optional<Handshake> feed(byte[] bytes, int length) {
        for (int at = 0; at < length; at++) {
            if (headBytes == head.length) {
                return Optional.of(new Handshake.Unreadable("its head is longer than " + head.length + " bytes"));
            }
            head[headBytes++] = bytes[at];
            if (bytes[at] == '\n' && headBytes >= 2 && head[headBytes - 2] != '\r') {
                return Optional.of(new Handshake.Unreadable("it is neither TLS nor a request of HTTP/1"));
            }
            if (HeadEnd.isEnd(head, headBytes)) {
                return Optional.of(read());
            }
        }
        return Optional.empty();
    }

    private Handshake read() {
        try {
            HttpHead request = HttpHead.parse(head, headBytes);
            return new Handshake.Http(RequestTarget.of(request, port, false).host());
        } catch (HttpRefusal refusal) {
            return new Handshake.Unreadable(refusal.reason());
        }
    }
}
