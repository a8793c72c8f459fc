package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.EgressAttempt;
import dev.glovebox.core.egress.EgressDecision.Way;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.UpstreamProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A connection whose requests are looked at: TLS ends here where the guest speaks it, and begins anew towards
/// the host.
final class InspectedConnection implements GuestConnection.Carried {
    private final SandboxEgress sandbox;
    private final SocketChannel guest;
    private final EgressAttempt attempt;
    private final Way.Requests way;
    private final Optional<UpstreamProxy> proxy;
    private final byte[] first;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private volatile long lastMove = System.nanoTime();
    private volatile @Nullable SocketChannel peer;
    private volatile GuestConnection.@Nullable Ending cutBy;

    InspectedConnection(
            SandboxEgress sandbox,
            SocketChannel guest,
            EgressAttempt attempt,
            Way.Requests way,
            Optional<UpstreamProxy> proxy,
            byte[] first) {
        this.sandbox = sandbox;
        this.guest = guest;
        this.attempt = attempt;
        this.way = way;
        this.proxy = proxy;
        this.first = first;
    }

    /// Returns when it is over.
    GuestConnection.Ending run() {
        String rule = "closed";
        String words = "";
        boolean isReset = false;
        try (IdleWatch _ = IdleWatch.start(sandbox.egress().timers(), Limits.EGRESS_IDLE_MAX, () -> lastMove, this)) {
            relay();
        } catch (HttpRefusal refusal) {
            rule = refusal.rule();
            words = refusal.reason();
            sandbox.log().refused(EgressEvent.Kind.REQUEST_DENIED, attempt, rule, words);
        } catch (IOException e) {
            rule = "broken";
            isReset = true;
            words = e instanceof javax.net.ssl.SSLException ? "TLS fails on one of its sides" : "";
        } finally {
            closeBoth(isReset);
        }
        GuestConnection.Ending cut = cutBy;
        return cut == null
                ? new GuestConnection.Ending(rule, words, sent.get(), received.get())
                : new GuestConnection.Ending(cut.rule(), cut.words(), sent.get(), received.get());
    }

    private void relay() throws IOException, HttpRefusal {
        Socket socket = guest.socket();
        socket.setTcpNoDelay(true);
        InputStream in = new ResumedStream(first, socket.getInputStream());
        if (way.isTls()) {
            socket = TlsEnds.withGuest(socket, sandbox.authority().contextOf(way.host()), first);
            in = socket.getInputStream();
        }
        RequestRewriter rewriter = new RequestRewriter(
                sandbox.sandbox(),
                way.host(),
                attempt.port(),
                way.isTls(),
                way.rule(),
                sandbox.egress().options().secrets());
        new HttpRelay(
                        streams(socket, in, SandboxMeter.Way.OUT, sent),
                        rewriter,
                        this::connect,
                        sandbox.egress().timers(),
                        connection())
                .run();
    }

    private HttpRelay.Connection connection() {
        return new HttpRelay.Connection() {
            @Override
            public long lastMove() {
                return lastMove;
            }

            @Override
            public void close(boolean isReset) {
                closeBoth(isReset);
            }
        };
    }

    private HttpRelay.Streams connect() throws IOException {
        SocketChannel channel = sandbox.egress().dialer().dial(attempt.address(), attempt.port(), proxy);
        peer = channel;
        if (cutBy != null) {
            Sockets.close(channel, true);
        }
        channel.socket().setTcpNoDelay(true);
        Socket socket = way.isTls()
                ? TlsEnds.withHost(
                        channel.socket(), sandbox.egress().options().trust(), way.host(), attempt.port(), true)
                : channel.socket();
        return streams(socket, socket.getInputStream(), SandboxMeter.Way.IN, received);
    }

    private HttpRelay.Streams streams(Socket socket, InputStream from, SandboxMeter.Way direction, AtomicLong counter)
            throws IOException {
        InputStream in = MeteredStreams.of(from, sandbox.meter(), direction, bytes -> moved(counter, bytes));
        OutputStream out = socket.getOutputStream();
        return new HttpRelay.Streams() {
            @Override
            public InputStream in() {
                return in;
            }

            @Override
            public OutputStream out() {
                return out;
            }

            @Override
            public void end() throws IOException {
                socket.shutdownOutput();
            }
        };
    }

    private void moved(AtomicLong counter, int bytes) throws IOException {
        counter.addAndGet(bytes);
        lastMove = System.nanoTime();
        if (sandbox.meter().isUsedUp()) {
            cut("limit.bytes", "the sandbox has used up the bytes that its policy gives it");
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
