package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.Handshake;
import dev.glovebox.core.egress.HostName;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// Reads the name out of a TLS ClientHello (RFC 8446, RFC 6066) as its bytes come, however they are cut into
/// records. Each byte is looked at once, and what is kept is bounded. Not thread-safe.
final class ClientHello implements FirstBytes {
    static final int HANDSHAKE_RECORD = 22;

    private static final int RECORD_HEADER = 5;
    private static final int RECORD_BYTES_MAX = 1 << 14;
    private static final int CLIENT_HELLO = 1;
    private static final int MESSAGE_HEADER = 4;
    /// Version and random.
    private static final int FIXED_BYTES = 34;
    private static final int SERVER_NAME = 0;
    private static final int HOST_NAME = 0;
    /// RFC 9849. Browsers send it without a meaning too, and nobody but the server can tell.
    private static final int ENCRYPTED_CLIENT_HELLO = 0xfe0d;
    /// Its older draft.
    private static final int ENCRYPTED_SERVER_NAME = 0xffce;

    private final byte[] header = new byte[RECORD_HEADER];
    private byte[] message = new byte[1024];
    private int headerBytes;
    private int leftInRecord;
    private int messageBytes;
    private int seen;

    @Override
    public Optional<Handshake> feed(byte[] bytes, int length) {
        for (int at = 0; at < length; at++) {
            if (++seen > Limits.EGRESS_CLIENT_HELLO_BYTES_MAX) {
                return broken("its ClientHello is longer than " + Limits.EGRESS_CLIENT_HELLO_BYTES_MAX + " bytes");
            }
            if (leftInRecord == 0) {
                header[headerBytes++] = bytes[at];
                if (headerBytes == RECORD_HEADER && !beginRecord()) {
                    return broken("its ClientHello is not in records of a TLS handshake");
                }
            } else {
                if (messageBytes == message.length) {
                    message = Arrays.copyOf(message, 2 * messageBytes);
                }
                message[messageBytes++] = bytes[at];
                leftInRecord--;
                if (message[0] != CLIENT_HELLO) {
                    return broken("its first message is no ClientHello");
                }
                if (messageBytes >= MESSAGE_HEADER && messageBytes == MESSAGE_HEADER + messageLength()) {
                    return Optional.of(read(ByteBuffer.wrap(message, MESSAGE_HEADER, messageLength())));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public long heldBytes() {
        return message.length;
    }

    private boolean beginRecord() {
        headerBytes = 0;
        leftInRecord = ((header[3] & 0xff) << Byte.SIZE) | (header[4] & 0xff);
        return header[0] == HANDSHAKE_RECORD && header[1] == 3 && leftInRecord > 0 && leftInRecord <= RECORD_BYTES_MAX;
    }

    private int messageLength() {
        return ((message[1] & 0xff) << 16) | ((message[2] & 0xff) << Byte.SIZE) | (message[3] & 0xff);
    }

    private static Optional<Handshake> broken(String words) {
        return Optional.of(new Handshake.Unreadable(words));
    }

    private static Handshake read(ByteBuffer hello) {
        try {
            skip(hello, FIXED_BYTES);
            skip(hello, hello.get() & 0xff);
            skip(hello, hello.getShort() & 0xffff);
            skip(hello, hello.get() & 0xff);
            if (!hello.hasRemaining()) {
                return new Handshake.Tls(Optional.empty(), false);
            }
            ByteBuffer extensions = part(hello, hello.getShort() & 0xffff);
            return hello.hasRemaining() ? malformed() : readExtensions(extensions);
        } catch (java.nio.BufferUnderflowException _) {
            return malformed();
        }
    }

    private static Handshake readExtensions(ByteBuffer extensions) {
        Optional<HostName> name = Optional.empty();
        boolean isEncrypted = false;
        Set<Integer> types = new HashSet<>();
        while (extensions.hasRemaining()) {
            int type = extensions.getShort() & 0xffff;
            ByteBuffer content = part(extensions, extensions.getShort() & 0xffff);
            if (!types.add(type)) {
                return malformed();
            }
            if (type == SERVER_NAME) {
                name = serverName(content);
                if (name.isEmpty()) {
                    return new Handshake.Unreadable("the name in its TLS handshake is no host name");
                }
            }
            isEncrypted |= type == ENCRYPTED_CLIENT_HELLO || type == ENCRYPTED_SERVER_NAME;
        }
        return new Handshake.Tls(name, isEncrypted);
    }

    /// The one name of the list; empty if there is not exactly one, or it is none.
    private static Optional<HostName> serverName(ByteBuffer content) {
        ByteBuffer list = part(content, content.getShort() & 0xffff);
        if (content.hasRemaining() || !list.hasRemaining() || list.get() != HOST_NAME) {
            return Optional.empty();
        }
        byte[] name = new byte[list.getShort() & 0xffff];
        list.get(name);
        // ISO-8859-1 keeps each byte one character, so that nothing beyond ASCII is taken for a letter.
        return list.hasRemaining() ? Optional.empty() : HostName.parse(new String(name, StandardCharsets.ISO_8859_1));
    }

    private static ByteBuffer part(ByteBuffer from, int length) {
        if (length > from.remaining()) {
            throw new java.nio.BufferUnderflowException();
        }
        ByteBuffer part = from.slice(from.position(), length);
        skip(from, length);
        return part;
    }

    private static void skip(ByteBuffer buffer, int bytes) {
        if (bytes > buffer.remaining()) {
            throw new java.nio.BufferUnderflowException();
        }
        buffer.position(buffer.position() + bytes);
    }

    private static Handshake malformed() {
        return new Handshake.Unreadable("its ClientHello is malformed");
    }
}
