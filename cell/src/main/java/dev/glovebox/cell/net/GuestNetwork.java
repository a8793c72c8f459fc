package dev.glovebox.cell.net;

import java.io.IOException;
import javax.net.ssl.SSLSocketFactory;

/// The network of one sandbox, as its interpreters see it. Thread-safe.
public interface GuestNetwork {
    /// A network through which nothing is ever reached.
    GuestNetwork CLOSED = new GuestNetwork() {
        @Override
        public boolean isOpen() {
            return false;
        }

        @Override
        public Connection connect(String host, int port) throws IOException {
            throw new ConnectionFailed("", CLOSED_WORDS);
        }

        @Override
        public SSLSocketFactory trust() throws IOException {
            throw new ConnectionFailed("", CLOSED_WORDS);
        }
    };

    String CLOSED_WORDS = "the network is closed in this sandbox";

    /// Whether the rules of the sandbox open anything at this moment.
    boolean isOpen();

    /// Asks for a connection and returns at once; whether it stands shows when it is used.
    ///
    /// @param host a name or an address: what it means is decided outside
    /// @throws ConnectionFailed if the network is closed, or has too many connections
    Connection connect(String host, int port) throws IOException;

    /// Makes TLS, trusting whom the sandbox trusts.
    SSLSocketFactory trust() throws IOException;

    /// A connection with TLS and a certificate of that name. Returns at once, too.
    default Connection connectSecurely(String host, int port) throws IOException {
        return new TlsConnection(connect(host, port), trust(), host, port);
    }
}
