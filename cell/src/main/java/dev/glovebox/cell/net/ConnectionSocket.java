package dev.glovebox.cell.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketImpl;
import org.jspecify.annotations.Nullable;

/// A connection in the clothes of a socket, because that is what the JDK's TLS is layered over.
final class ConnectionSocket extends Socket {
    private final Connection connection;
    private volatile int timeoutMillis;
    private volatile boolean isClosed;

    ConnectionSocket(Connection connection) throws IOException {
        super((SocketImpl) null);
        this.connection = connection;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public void setSoTimeout(int timeout) {
        timeoutMillis = timeout;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    @Override
    public void setSoLinger(boolean on, int linger) {}

    @Override
    public int getSoLinger() {
        return -1;
    }

    @Override
    public void setTcpNoDelay(boolean on) {}

    @Override
    public void shutdownOutput() throws IOException {
        connection.end();
    }

    @Override
    public void shutdownInput() {}

    @Override
    public java.net.@Nullable InetAddress getInetAddress() {
        return null;
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return length == 0 ? 0 : connection.read(target, offset, length, timeoutMillis);
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                connection.write(bytes, offset, length);
            }
        };
    }

    @Override
    public void close() {
        isClosed = true;
        connection.close();
    }
}
