package dev.glovebox.cell.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLSocketFactory;

/// A network for tests of the cell alone: every connection goes to one port of this machine.
public final class SocketNetwork implements GuestNetwork {
    private final int port;

    public SocketNetwork(int port) {
        this.port = port;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public SSLSocketFactory trust() throws IOException {
        throw new ConnectionFailed("", "no TLS here");
    }

    @Override
    public Connection connect(String host, int ignored) throws IOException {
        if (host.equals("closed.example")) {
            throw new ConnectionFailed("dns.closed", "closed.example is not open");
        }
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        return new Connection() {
            @Override
            public void await(int millis) {}

            @Override
            public int read(byte[] target, int offset, int length, int millis) throws IOException {
                socket.setSoTimeout(millis);
                InputStream in = socket.getInputStream();
                try {
                    return in.read(target, offset, length);
                } catch (SocketException broken) {
                    throw new ConnectionFailed("", "the connection was broken off");
                }
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                socket.getOutputStream().write(bytes, offset, length);
            }

            @Override
            public void end() throws IOException {
                socket.shutdownOutput();
            }

            @Override
            public void interrupt() {}

            @Override
            public void close() {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
        };
    }
}
