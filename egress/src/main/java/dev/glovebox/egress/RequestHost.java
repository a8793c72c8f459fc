package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.Handshake;
import java.util.Arrays;
import java.util.Optional;

/// Reads the host out of the first request of a plain connection, as its bytes come. Not thread-safe.
final class RequestHost implements FirstBytes {
    private final int port;
    private byte[] head = new byte[1024];
    private int headBytes;

    RequestHost(int port) {
        this.port = port;
    }

    @Override
    public Optional<Handshake> feed(byte[] bytes, int length) {
        for (int at = 0; at < length; at++) {
            if (headBytes == Limits.EGRESS_REQUEST_HEAD_BYTES_MAX) {
                return Optional.of(new Handshake.Unreadable("its head is longer than " + headBytes + " bytes"));
            }
            if (headBytes == head.length) {
                head = Arrays.copyOf(head, 2 * headBytes);
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

    @Override
    public long heldBytes() {
        return head.length;
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
