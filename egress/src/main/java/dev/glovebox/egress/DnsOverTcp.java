package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/// Queries that come over TCP (RFC 7766): answered here too, wherever the guest wanted to send them.
final class DnsOverTcp {
    private DnsOverTcp() {}

    /// Answers until the guest ends, or asks nothing for a while.
    static void serve(SocketChannel guest, SandboxEgress sandbox) throws IOException {
        guest.socket().setSoTimeout(Math.toIntExact(Limits.EGRESS_HANDSHAKE_MAX.toMillis()));
        DataInputStream in = new DataInputStream(guest.socket().getInputStream());
        OutputStream out = guest.socket().getOutputStream();
        try {
            while (true) {
                Optional<byte[]> answer = sandbox.answer(in.readNBytes(in.readUnsignedShort()));
                if (answer.isEmpty()) {
                    return;
                }
                byte[] bytes = answer.get();
                byte[] framed = new byte[bytes.length + Short.BYTES];
                framed[0] = (byte) (bytes.length >>> Byte.SIZE);
                framed[1] = (byte) bytes.length;
                System.arraycopy(bytes, 0, framed, Short.BYTES, bytes.length);
                out.write(framed);
            }
        } catch (EOFException | SocketTimeoutException _) {
            // It has no more questions.
        }
    }
}
