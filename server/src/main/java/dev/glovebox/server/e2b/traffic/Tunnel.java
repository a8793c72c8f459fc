package dev.glovebox.server.e2b.traffic;

import dev.glovebox.server.api.AcceptedSockets;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// A connection that has stopped to be HTTP: a WebSocket, for example. Bytes go both ways as they are. Over plain TCP
/// each half closes for itself; over TLS, which Helidon closes as a whole, the end of the guest's half is the end.
final class Tunnel {
    private final AcceptedSockets sockets;
    private final ConnectionContext connection;
    private final PortLink link;

    Tunnel(AcceptedSockets sockets, ConnectionContext connection, PortLink link) {
        this.sockets = sockets;
        this.connection = connection;
        this.link = link;
    }

    /// Sends the answer that switches, then carries until both sides have ended or one has gone.
    ///
    /// @param data has what the guest sent after its answer
    void carry(GuestResponse answer, DataReader data) {
        Thread up = Thread.ofVirtual().name("tunnel").unstarted(this::carryUp);
        try {
            send(GuestAnswer.switching(answer).getBytes(StandardCharsets.ISO_8859_1));
            up.start();
            carryDown(data);
            if (!connection.isSecure()) {
                sockets.of(connection).shutdownOutput();
                up.join();
            }
        } catch (IOException | RuntimeException e) {
            throw new CloseConnectionException("one side of a tunnel has gone", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            link.close();
        }
    }

    private void carryDown(DataReader data) {
        while (true) {
            try {
                data.ensureAvailable();
            } catch (DataReader.InsufficientDataAvailableException _) {
                return;
            }
            send(data.readBytes(data.available()));
        }
    }

    private void send(byte[] bytes) {
        connection.dataWriter().writeNow(BufferData.create(bytes));
    }

    private void carryUp() {
        DataReader client = connection.dataReader();
        try {
            while (true) {
                client.ensureAvailable();
                link.write(client.readBytes(client.available()));
            }
        } catch (DataReader.InsufficientDataAvailableException _) {
            link.end();
        } catch (IOException | RuntimeException _) {
            link.close();
        }
    }
}
