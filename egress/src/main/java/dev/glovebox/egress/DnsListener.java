package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.Semaphore;

/// Answers the DNS queries that a sandbox sends over UDP, to whomever it sends them: the socket is bound to
/// port 53 of every address there. Only so many wait for an answer at once; further ones are dropped, as a busy
/// server would.
public final class DnsListener implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DnsListener.class.getName());
    private static final int PACKET_BYTES_MAX = 4096;

    private final DatagramChannel socket;
    private final SandboxEgress sandbox;
    private final Semaphore places = new Semaphore(Limits.EGRESS_DNS_WAITING_MAX);

    private DnsListener(DatagramChannel socket, SandboxEgress sandbox) {
        this.socket = socket;
        this.sandbox = sandbox;
    }

    /// Begins to answer.
    ///
    /// @param socket bound, blocking; closed by [#close]
    public static DnsListener start(DatagramChannel socket, SandboxEgress sandbox) {
        DnsListener listener = new DnsListener(socket, sandbox);
        Thread.ofVirtual().name("egress-dns").start(listener::run);
        return listener;
    }

    private void run() {
        ByteBuffer packet = ByteBuffer.allocateDirect(PACKET_BYTES_MAX);
        while (socket.isOpen()) {
            try {
                SocketAddress guest = socket.receive(packet.clear());
                byte[] query = new byte[packet.flip().remaining()];
                packet.get(query);
                if (guest != null && places.tryAcquire()) {
                    Thread.ofVirtual().start(() -> answer(query, guest));
                }
            } catch (ClosedChannelException _) {
                return;
            } catch (IOException e) {
                // An earlier answer could not be delivered: the guest's port is closed again.
                LOG.log(System.Logger.Level.DEBUG, "a query of a sandbox could not be received", e);
            }
        }
    }

    private void answer(byte[] query, SocketAddress guest) {
        try {
            var answer = sandbox.answer(query);
            if (answer.isPresent()) {
                socket.send(ByteBuffer.wrap(answer.get()), guest);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "an answer did not reach a sandbox", e);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a query of a sandbox could not be answered", e);
        } finally {
            places.release();
        }
    }

    /// Idempotent.
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a listener could not be closed", e);
        }
    }
}
