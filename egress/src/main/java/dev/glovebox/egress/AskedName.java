package dev.glovebox.egress;

import dev.glovebox.core.egress.Handshake;
import java.util.Arrays;
import java.util.Optional;

/// Finds out what a connection asks for: its first byte tells TLS from everything else. Keeps all that was
/// read, for it has to be passed on. Not thread-safe.
final class AskedName {
    private final int port;
    private byte[] read = new byte[1024];
    private int readBytes;
    private @org.jspecify.annotations.Nullable FirstBytes reader;

    AskedName(int port) {
        this.port = port;
    }

    /// More bytes; empty as long as they do not suffice.
    Optional<Handshake> feed(byte[] bytes, int length) {
        if (length == 0) {
            return Optional.empty();
        }
        FirstBytes current = reader;
        if (current == null) {
            boolean isTls = bytes[0] == ClientHello.HANDSHAKE_RECORD;
            if (!isTls && !isLetter(bytes[0])) {
                keep(bytes, length);
                return Optional.of(new Handshake.Unreadable("it is neither TLS nor a request of HTTP/1"));
            }
            current = isTls ? new ClientHello() : new RequestHost(port);
            reader = current;
        }
        keep(bytes, length);
        return current.feed(bytes, length);
    }

    /// All bytes so far.
    byte[] bytes() {
        return Arrays.copyOf(read, readBytes);
    }

    /// What it takes of the memory.
    long heldBytes() {
        FirstBytes current = reader;
        return read.length + (current == null ? 0 : current.heldBytes());
    }

    private void keep(byte[] bytes, int length) {
        if (readBytes + length > read.length) {
            read = Arrays.copyOf(read, Math.max(2 * read.length, readBytes + length));
        }
        System.arraycopy(bytes, 0, read, readBytes, length);
        readBytes += length;
    }

    private static boolean isLetter(byte first) {
        return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
    }
}
