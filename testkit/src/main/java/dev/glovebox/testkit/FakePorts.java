package dev.glovebox.testkit;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.PortPeer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The ports of a fake sandbox: as [GuestPorts] says, while a program serves them. Thread-safe.
final class FakePorts {
    /// Takes what the program that serves prints; absent while none does.
    private final AtomicReference<@Nullable Consumer<String>> server = new AtomicReference<>();

    private final Set<PortPeer> peers = ConcurrentHashMap.newKeySet();

    /// Serves until `wait` returns or throws.
    void serve(Consumer<String> print, Runnable wait) {
        server.set(print);
        try {
            wait.run();
        } finally {
            server.set(null);
            breakOff();
        }
    }

    void breakOff() {
        peers.forEach(PortPeer::close);
    }

    void connect(int port, PortPeer peer) {
        Consumer<String> print = server.get();
        if (print == null || port < GuestPorts.ECHO || port > GuestPorts.BREAKS) {
            throw new GloveboxException(ErrorCode.PORT_CLOSED, "port " + port + ": nothing listens on this port");
        }
        peers.add(peer);
        try (peer) {
            peer.connected();
            talk(port, peer, print);
        } catch (PortPeer.Gone _) {
            // As a server inside would not be told either.
        } finally {
            peers.remove(peer);
        }
    }

    private static void talk(int port, PortPeer peer, Consumer<String> print) {
        switch (port) {
            case GuestPorts.ECHO -> {
                hear(peer, true);
                peer.end();
            }
            case GuestPorts.SPEAKS_FIRST -> {
                say(peer, "first");
                peer.end();
                print.accept("heard " + hear(peer, false) + "\n");
            }
            case GuestPorts.LISTENS_FIRST -> {
                say(peer, "heard " + hear(peer, false));
                peer.end();
            }
            case GuestPorts.LEAVES -> {
                say(peer, "bye");
                peer.end();
                hear(peer, false);
            }
            default -> peer.read(new byte[1]);
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
