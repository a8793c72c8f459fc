package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.Tunnel;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
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
    /// When the guest took something last.
    private volatile long lastDelivery = System.nanoTime();
    /// Whether the service has sent all that it will, and the guest has been given it.
    private volatile boolean isAnswered;
    private volatile @Nullable SocketChannel peer;
    private volatile GuestConnection.@Nullable Ending cutBy;

    TlsTunnel(SandboxEgress sandbox, SocketChannel guest, Tunnel tunnel) {
        this.sandbox = sandbox;
        this.guest = guest;
        this.tunnel = tunnel;
    }

    /// Returns when it is over.
    GuestConnection.Ending run() {
        String rule = "broken";
        String words = "";
        try (IdleWatch _ = IdleWatch.start(sandbox.egress().timers(), tunnel.idleMax(), () -> lastMove, this)) {
            SocketChannel channel = sandbox.egress().dialer().dial(tunnel);
            peer = channel;
            HostName name = HostName.parse(tunnel.host())
                    .orElseThrow(() -> new IOException("a certificate needs a name: the tunnel has an address"));
            Socket socket = TlsEnds.withHost(
                    channel.socket(), sandbox.egress().options().trust(), name, tunnel.port(), false);
            carry(socket);
            if (isAnswered) {
                rule = "closed";
            }
        } catch (IOException e) {
            words = e instanceof javax.net.ssl.SSLException ? "TLS with the tunnel's service fails" : "";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            closeBoth(rule.equals("broken"));
        }
        GuestConnection.Ending cut = cutBy;
        return new GuestConnection.Ending(
                cut == null ? rule : cut.rule(), cut == null ? words : cut.words(), sent.get(), received.get());
    }

    private void carry(Socket service) throws IOException, InterruptedException {
        SideStream toService = new SideStream(service.getOutputStream());
        Thread back = Thread.ofVirtual().start(() -> carryBack(service, toService));
        try {
            copy(guest.socket().getInputStream(), toService, SandboxMeter.Way.OUT, sent);
            end(service);
        } catch (SideStream.Gone _) {
            giveTheRest(back);
        }
        back.join();
    }

    private static void end(Socket service) throws SideStream.Gone {
        try {
            service.shutdownOutput();
        } catch (IOException e) {
            throw new SideStream.Gone(e);
        }
    }

    /// The service takes no more. It may have sent something before, which the guest is still given, for as long as it
    /// takes some of it. What still
    /// comes of the guest's is for nobody, but it is read: so its end is noticed, and what it was sent not lost.
    private void giveTheRest(Thread back) throws IOException, InterruptedException {
        lastDelivery = System.nanoTime();
        try (IdleWatch _ = IdleWatch.start(
                sandbox.egress().timers(),
                Limits.EGRESS_LINGER_MAX,
                () -> lastDelivery,
                (_, _) -> closeBoth(!isAnswered))) {
            copy(guest.socket().getInputStream(), OutputStream.nullOutputStream(), SandboxMeter.Way.OUT, sent);
            back.join();
        } catch (IOException e) {
            if (!isAnswered) {
                throw e;
            }
        }
    }

    private void carryBack(Socket service, SideStream toService) {
        try {
            SideStream toGuest = new SideStream(guest.socket().getOutputStream());
            copy(service.getInputStream(), toGuest, SandboxMeter.Way.IN, received);
            if (!toService.wasReset()) {
                isAnswered = true;
                guest.shutdownOutput();
                return;
            }
            linger();
        } catch (SideStream.Gone _) {
            // Nobody is there to be given time.
        } catch (IOException _) {
            linger();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        closeBoth(true);
    }

    /// A reset takes with it what the guest has not been given yet.
    private void linger() {
        try {
            TimeUnit.NANOSECONDS.sleep(Limits.EGRESS_LINGER_MAX.toNanos() - (System.nanoTime() - lastDelivery));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void copy(InputStream from, OutputStream to, SandboxMeter.Way way, AtomicLong counter) throws IOException {
        InputStream metered = MeteredStreams.of(from, sandbox.meter(), way, bytes -> moved(counter, bytes));
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = metered.read(buffer); read >= 0; read = metered.read(buffer)) {
            to.write(buffer, 0, read);
            to.flush();
            if (way == SandboxMeter.Way.IN) {
                lastDelivery = System.nanoTime();
            }
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

    private void closeBoth(boolean isReset) {
        Sockets.close(guest, isReset);
        SocketChannel other = peer;
        if (other != null) {
            Sockets.close(other, isReset);
        }
    }
}
