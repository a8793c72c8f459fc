package dev.glovebox.backends;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.PortPeer;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Follows a CONNECT request to its end: the caller's thread hands on what the guest sends and gives credit for what
/// the peer has taken; a virtual thread sends what the peer says as far as the agent gives credit. So neither side
/// makes the server hold more than the credit. One use.
final class PortCall {
    /// A connection may be silent for as long as its sandbox lives.
    private static final Duration FOREVER = Duration.ofDays(36_500);
    /// The only record says STARTED.
    private static final int RECORD_BYTES_MAX = 1024;

    private final AgentChannel channel;
    private final int port;
    private final PortPeer peer;
    private final Duration patience;
    private final RecordReader records = new RecordReader(RECORD_BYTES_MAX);
    /// Reads from the peer; there once the connection stands.
    private @Nullable Thread pump;
    /// What went wrong with the peer while it was read from.
    private volatile @Nullable RuntimeException pumpFailure;

    private boolean isConnected;

    /// @param patience how long the agent may take to connect or to refuse
    PortCall(AgentChannel channel, int port, PortPeer peer, Duration patience) {
        this.channel = channel;
        this.port = port;
        this.peer = peer;
        this.patience = patience;
    }

    /// Returns when both directions are over, the guest broke the connection off, or the peer has gone.
    ///
    /// @throws GloveboxException PORT_CLOSED if it never stood, BACKEND_LOST if the sandbox ended meanwhile
    /// @throws ProtocolException if the agent breaks the protocol: whoever hosts it must be ended
    void await() throws InterruptedException {
        try {
            follow();
        } catch (PortPeer.Gone _) {
            // Nobody is there to be told; the channel is given up by whoever opened it.
        } finally {
            channel.close();
            end();
        }
    }

    private void follow() throws InterruptedException {
        while (true) {
            Optional<Frame> next = channel.takeOrEnd(Protocol.CONTENT, isConnected() ? FOREVER : patience);
            if (next.isEmpty()) {
                throw over();
            }
            Frame frame = next.get();
            switch (frame.type()) {
                case END -> {
                    checkConnected();
                    peer.end();
                }
                case CLOSE -> {
                    Outcomes.checkPort(Fields.decode(frame.payload()), port);
                    checkConnected();
                    return;
                }
                default -> take(frame);
            }
        }
    }

    private void take(Frame frame) {
        switch (frame.stream()) {
            case Protocol.CONTENT -> {
                checkConnected();
                peer.write(frame.payload());
            }
            case Protocol.RECORDS -> records.read(frame.payload(), this::takeRecord);
            default -> throw new ProtocolException("a connection has no stream " + frame.stream());
        }
        channel.consumed(frame.stream(), frame.payload().length);
    }

    private void takeRecord(Fields fields) {
        if (!fields.flag(Tag.STARTED) || isConnected()) {
            throw new ProtocolException("a connection begins once, and says nothing else");
        }
        peer.connected();
        synchronized (this) {
            isConnected = true;
        }
        pump = Thread.ofVirtual().name("port-" + port).start(this::pump);
    }

    private synchronized boolean isConnected() {
        return isConnected;
    }

    private void checkConnected() {
        if (!isConnected()) {
            throw new ProtocolException("a connection that does not stand has neither bytes nor an end");
        }
    }

    /// Why nothing comes: the peer could not be read from, or the agent says nothing.
    private RuntimeException over() {
        RuntimeException failure = pumpFailure;
        return failure != null
                ? failure
                : new ProtocolException("it neither connected nor refused in " + patience.toSeconds() + " s");
    }

    private void pump() {
        byte[] buffer = new byte[Protocol.PAYLOAD_BYTES_MAX];
        try {
            int count = peer.read(buffer);
            while (count >= 0 && channel.write(Protocol.CONTENT, buffer, count, FOREVER)) {
                count = peer.read(buffer);
            }
            if (count < 0) {
                channel.end(Protocol.CONTENT);
            }
        } catch (GloveboxException _) {
            // The sandbox is gone: the other thread knows.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failure) {
            pumpFailure = failure;
            channel.close();
        }
    }

    /// Closes the peer, if it was ever told that it is connected. Called from anywhere, when the sandbox ends.
    void breakOff() {
        if (isConnected()) {
            peer.close();
        }
    }

    /// Closes the peer and waits for the thread that reads from it, which waits no longer.
    private void end() {
        breakOff();
        Thread reading = pump;
        boolean interrupted = false;
        while (reading != null && reading.isAlive()) {
            try {
                reading.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
