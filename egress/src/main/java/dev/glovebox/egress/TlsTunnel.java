package dev.glovebox.egress;

import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.Tunnel;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A connection through a tunnel whose service speaks TLS, while the sandbox speaks plainly.
final class TlsTunnel implements GuestConnection.Carried {
    private static final int BUFFER_BYTES = 16 * 1024;

    private final SandboxEgress sandbox;
    private final SocketChannel guest;
    private final Tunnel tunnel;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private volatile long lastMove = System.nanoTime();
    private volatile @Nullable SocketChannel peer;
    private volatile GuestConnection.@Nullable Ending cutBy;

    TlsTunnel(SandboxEgress sandbox, SocketChannel guest, Tunnel tunnel) {
        this.sandbox = sandbox;
        this.guest = guest;
        this.tunnel = tunnel;
    }

    /// Returns when it is over.
    GuestConnection.Ending run() {
        String rule = "closed";
        String words = "";
        try (IdleWatch _ = IdleWatch.start(sandbox.egress().timers(), tunnel.idleMax(), () -> lastMove, this)) {
            SocketChannel channel = sandbox.egress().dialer().dial(tunnel);
            peer = channel;
            HostName name = HostName.parse(tunnel.host())
                    .orElseThrow(() -> new IOException("a certificate needs a name: the tunnel has an address"));
            Socket socket = TlsEnds.withHost(
                    channel.socket(), sandbox.egress().options().trust(), name, tunnel.port(), false);
            Thread back = Thread.ofVirtual().start(() -> {
                try {
                    copy(socket.getInputStream(), guest.socket().getOutputStream(), SandboxMeter.Way.IN, received);
                    guest.shutdownOutput();
                } catch (IOException _) {
                    closeBoth();
                }
            });
            copy(guest.socket().getInputStream(), socket.getOutputStream(), SandboxMeter.Way.OUT, sent);
            socket.shutdownOutput();
            back.join();
        } catch (IOException e) {
            rule = "broken";
            words = e instanceof javax.net.ssl.SSLException ? "TLS with the tunnel's service fails" : "";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            closeBoth();
        }
        GuestConnection.Ending cut = cutBy;
        return new GuestConnection.Ending(
                cut == null ? rule : cut.rule(), cut == null ? words : cut.words(), sent.get(), received.get());
    }

    private void copy(InputStream from, OutputStream to, SandboxMeter.Way way, AtomicLong counter) throws IOException {
        InputStream metered = MeteredStreams.of(from, sandbox.meter(), way, bytes -> moved(counter, bytes));
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = metered.read(buffer); read >= 0; read = metered.read(buffer)) {
            to.write(buffer, 0, read);
            to.flush();
        }
    }

    private void moved(AtomicLong counter, int bytes) throws IOException {
        counter.addAndGet(bytes);
        lastMove = System.nanoTime();
        if (sandbox.meter().isUsedUp()) {
            cut("limit.bytes", "the sandbox has used up the bytes that its policy gives it");
            throw new IOException("used up");
        }
        if (tunnel.bytesMax() != 0 && sent.get() + received.get() > tunnel.bytesMax()) {
            cut("limit.tunnel_bytes", "the connection has used up the bytes that the tunnel gives it");
            throw new IOException("used up");
        }
    }

    @Override
    public void cut(String rule, String words) {
        if (cutBy == null) {
            cutBy = new GuestConnection.Ending(rule, words, 0, 0);
        }
        Sockets.close(guest, true);
        SocketChannel other = peer;
        if (other != null) {
            Sockets.close(other, true);
        }
    }

    private void closeBoth() {
        Sockets.close(guest, false);
        SocketChannel other = peer;
        if (other != null) {
            Sockets.close(other, false);
        }
    }
}
