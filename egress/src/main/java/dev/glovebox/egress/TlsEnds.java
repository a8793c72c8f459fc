package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.HostName;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/// Where TLS begins and ends for connections whose requests are looked at. HTTP/1.1 is all that is spoken
/// within.
final class TlsEnds {
    private static final String[] HTTP_1 = {"http/1.1"};
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private TlsEnds() {}

    /// Towards the guest, in the name of the host.
    ///
    /// @param first what was read of its handshake already
    static SSLSocket withGuest(Socket guest, SSLContext host, byte[] first) throws IOException {
        SSLSocket socket =
                (SSLSocket) host.getSocketFactory().createSocket(guest, new ByteArrayInputStream(first), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(HTTP_1);
        parameters.setProtocols(VERSIONS);
        socket.setSSLParameters(parameters);
        shake(socket, guest);
        return socket;
    }

    /// Towards the host, whose certificate has to be its own.
    static SSLSocket withHost(Socket peer, SSLContext trust, HostName host, int port, boolean isHttp)
            throws IOException {
        SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket(peer, host.value(), port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(VERSIONS);
        if (isHttp) {
            parameters.setApplicationProtocols(HTTP_1);
        }
        socket.setSSLParameters(parameters);
        shake(socket, peer);
        return socket;
    }

    private static void shake(SSLSocket socket, Socket below) throws IOException {
        below.setSoTimeout(Math.toIntExact(Limits.EGRESS_HANDSHAKE_MAX.toMillis()));
        socket.startHandshake();
        below.setSoTimeout(0);
    }
}
