package dev.glovebox.cell.net;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// TLS over another connection: by the JDK, inside the cell, so that what an unknown server sends is read here and not
/// in the host. The certificate has to be good and of that name.
final class TlsConnection implements Connection {
    private final Connection below;
    private final ConnectionSocket socket;
    private final SSLSocket tls;

    TlsConnection(Connection below, SSLSocketFactory factory, String host, int port) throws IOException {
        this.below = below;
        socket = new ConnectionSocket(below);
        tls = (SSLSocket) factory.createSocket(socket, host, port, true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        tls.setSSLParameters(parameters);
    }

    @Override
    public void await(int millis) throws IOException {
        below.await(millis);
        socket.setSoTimeout(millis);
        try {
            tls.startHandshake();
        } catch (IOException failure) {
            throw words(failure);
        }
    }

    @Override
    public int read(byte[] target, int offset, int length, int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            return tls.getInputStream().read(target, offset, length);
        } catch (IOException failure) {
            throw words(failure);
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            tls.getOutputStream().write(bytes, offset, length);
            tls.getOutputStream().flush();
        } catch (IOException failure) {
            throw words(failure);
        }
    }

    /// The JDK wraps what comes from below; what was refused there is the better answer.
    private static IOException words(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectionFailed || cause instanceof SocketTimeoutException) {
                return (IOException) cause;
            }
        }
        if (failure instanceof InterruptedIOException) {
            return failure;
        }
        return failure instanceof SSLException ? new ConnectionFailed("", "TLS: " + failure.getMessage()) : failure;
    }

    @Override
    public void end() throws IOException {
        tls.shutdownOutput();
    }

    @Override
    public void interrupt() {
        below.interrupt();
    }

    /// Without a word of TLS to the peer: to send it could block.
    @Override
    public void close() {
        below.close();
    }
}
