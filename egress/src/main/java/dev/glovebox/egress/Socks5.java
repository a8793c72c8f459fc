package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.UpstreamProxy.Login;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Asks a SOCKS5 proxy (RFC 1928, RFC 1929) for a connection to an address: to the one that was decided, not to
/// a name that the proxy would look up again.
final class Socks5 {
    private static final int VERSION = 5;
    private static final int NO_LOGIN = 0;
    private static final int LOGIN = 2;
    private static final int LOGIN_VERSION = 1;
    private static final int CONNECT = 1;
    private static final int IPV4 = 1;
    private static final int NAME = 3;
    private static final int IPV6 = 4;

    private Socks5() {}

    /// Returns when the proxy has connected.
    ///
    /// @throws IOException if it refuses, breaks the protocol, or takes too long
    static void connect(SocketChannel channel, IpAddress address, int port, Optional<Login> login) throws IOException {
        Socket socket = channel.socket();
        socket.setSoTimeout(Math.toIntExact(Limits.EGRESS_CONNECT_MAX.toMillis()));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        OutputStream out = socket.getOutputStream();
        out.write(new byte[] {VERSION, 1, (byte) (login.isPresent() ? LOGIN : NO_LOGIN)});
        expect(in.readUnsignedByte() == VERSION, "it is no SOCKS5 proxy");
        expect(in.readUnsignedByte() == (login.isPresent() ? LOGIN : NO_LOGIN), "it wants another kind of login");
        if (login.isPresent()) {
            logIn(in, out, login.get());
        }
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.write(new byte[] {VERSION, CONNECT, 0, (byte) (address.isV4() ? IPV4 : IPV6)});
        request.write(address.bytes());
        request.write(port >>> Byte.SIZE);
        request.write(port);
        out.write(request.toByteArray());
        expect(in.readUnsignedByte() == VERSION, "it breaks the protocol");
        int status = in.readUnsignedByte();
        expect(status == 0, "it refuses with status " + status);
        in.readUnsignedByte();
        skipAddress(in);
        socket.setSoTimeout(0);
    }

    private static void logIn(DataInputStream in, OutputStream out, Login login) throws IOException {
        byte[] user = login.user().getBytes(StandardCharsets.UTF_8);
        byte[] password = login.password().getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.write(LOGIN_VERSION);
        request.write(user.length);
        request.write(user);
        request.write(password.length);
        request.write(password);
        out.write(request.toByteArray());
        expect(in.readUnsignedByte() == LOGIN_VERSION, "it breaks the protocol");
        expect(in.readUnsignedByte() == 0, "it does not accept the login");
    }

    private static void skipAddress(DataInputStream in) throws IOException {
        int length = switch (in.readUnsignedByte()) {
            case IPV4 -> 4;
            case IPV6 -> 16;
            case NAME -> in.readUnsignedByte();
            default -> throw new IOException("the egress proxy breaks the protocol");
        };
        in.readFully(new byte[length + Short.BYTES]);
    }

    private static void expect(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException("the egress proxy fails: " + otherwise);
        }
    }
}
