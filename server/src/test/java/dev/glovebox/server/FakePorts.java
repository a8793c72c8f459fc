package dev.glovebox.server;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.PortPeer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/// Ports of a fake sandbox, each with a server of its own kind.
final class FakePorts {
    /// Sends back what it gets, and closes when the peer does.
    static final int ECHO = 1001;
    /// Says `first`, closes its sending half, and prints nothing of what it then hears.
    static final int SPEAKS_FIRST = 1002;
    /// Hears to the end, and then says how much it was.
    static final int LISTENS_FIRST = 1003;
    /// Says `part` and breaks off.
    static final int BREAKS = 1004;
    /// The sandbox is lost before it answers.
    static final int LOST = 1005;

    /// A server of HTTP.
    static final int HTTP = 1006;
    /// Nothing listens there at first; at the third try a server of HTTP does.
    static final int LATE = 1007;

    private static final AtomicInteger LATE_TRIES = new AtomicInteger();

    private FakePorts() {}

    static Command.Done connect(int port, PortPeer peer) {
        boolean isTooEarly = port == LATE && LATE_TRIES.incrementAndGet() % 3 != 0;
        if (port < ECHO || port > LATE || isTooEarly) {
            throw new GloveboxException(ErrorCode.PORT_CLOSED, "port " + port + ": nothing listens on this port");
        }
        if (port == LOST) {
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: it crashed");
        }
        try (peer) {
            peer.connected();
            serve(port, peer);
        } catch (PortPeer.Gone gone) {
            return Command.Done.DONE;
        }
        return Command.Done.DONE;
    }

    private static void serve(int port, PortPeer peer) {
        switch (port) {
            case ECHO -> {
                hear(peer, true);
                peer.end();
            }
            case SPEAKS_FIRST -> {
                say(peer, "first");
                peer.end();
                hear(peer, false);
            }
            case LISTENS_FIRST -> {
                long heard = hear(peer, false);
                say(peer, "heard " + heard);
                peer.end();
            }
            case HTTP, LATE -> {
                try {
                    new FakeHttp(peer).serve();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            default -> say(peer, "part");
        }
    }

    private static void say(PortPeer peer, String text) {
        peer.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static long hear(PortPeer peer, boolean echo) {
        byte[] buffer = new byte[64 * 1024];
        long heard = 0;
        for (int count = peer.read(buffer); count >= 0; count = peer.read(buffer)) {
            heard += count;
            if (echo) {
                peer.write(Arrays.copyOf(buffer, count));
            }
        }
        return heard;
    }
}
