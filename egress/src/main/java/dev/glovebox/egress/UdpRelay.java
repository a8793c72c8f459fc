package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.EgressAttempt;
import dev.glovebox.core.egress.EgressDecision;
import dev.glovebox.core.egress.IpAddress;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Carries UDP between a sandbox and the one address and port that a rule names: a socket is bound to that very
/// address inside, so where a packet goes is known. Each port of the guest is a conversation of its own.
public final class UdpRelay implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(UdpRelay.class.getName());

    private final DatagramChannel socket;
    private final SandboxEgress sandbox;
    private final EgressAttempt attempt;
    private final Map<SocketAddress, Flow> flows = new ConcurrentHashMap<>();

    private UdpRelay(DatagramChannel socket, SandboxEgress sandbox, EgressAttempt attempt) {
        this.socket = socket;
        this.sandbox = sandbox;
        this.attempt = attempt;
    }

    /// Begins to carry.
    ///
    /// @param socket bound inside, blocking; closed by [#close]
    public static UdpRelay start(DatagramChannel socket, SandboxEgress sandbox, IpAddress destination, int port) {
        UdpRelay relay = new UdpRelay(socket, sandbox, EgressAttempt.udp(destination, port));
        Thread.ofVirtual().name("egress-udp").start(relay::run);
        return relay;
    }

    private void run() {
        ByteBuffer packet = buffer();
        while (socket.isOpen()) {
            try {
                SocketAddress guest = socket.receive(packet.clear());
                if (guest != null && packet.hasRemaining()) {
                    out(guest, packet.flip());
                }
            } catch (ClosedChannelException _) {
                break;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a packet of a sandbox was lost", e);
            }
        }
        flows.values().forEach(flow -> flow.end("sandbox.closed"));
    }

    /// With a byte more than a packet may have: what fills it was cut.
    private static ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(Limits.EGRESS_UDP_BYTES_MAX + 1);
    }

    /// Each packet is decided, so that other rules hold at once.
    private void out(SocketAddress guest, ByteBuffer packet) throws IOException {
        EgressDecision decision = sandbox.decide(sandbox.current(), attempt);
        Flow flow = flows.get(guest);
        if (!(decision instanceof EgressDecision.Allow allow)) {
            EgressDecision.Deny deny = (EgressDecision.Deny) decision;
            sandbox.denied(attempt, deny.rule(), deny.reason());
            if (flow != null) {
                flow.end("policy.replaced");
            }
            return;
        }
        if (flow == null) {
            if (flows.size() >= Limits.EGRESS_UDP_FLOWS_MAX) {
                sandbox.denied(
                        attempt,
                        "limit.udp_flows",
                        "more than " + Limits.EGRESS_UDP_FLOWS_MAX + " conversations over UDP at once");
                return;
            }
            if (!sandbox.datagrams().take(1)) {
                sandbox.denied(
                        attempt, SandboxEgress.SERVER_FULL, "the UDP sockets of all sandboxes are too many for now");
                return;
            }
            try {
                flow = new Flow(guest, allow.rule());
            } catch (IOException | RuntimeException failure) {
                sandbox.datagrams().give(1);
                throw failure;
            }
            flows.put(guest, flow);
            flow.start();
        }
        flow.send(packet);
    }

    /// One conversation.
    private final class Flow {
        private final SocketAddress guest;
        private final DatagramChannel peer;
        private final String rule;
        private final AtomicLong sent = new AtomicLong();
        private final AtomicLong received = new AtomicLong();
        private volatile long lastMove = System.nanoTime();
        private volatile @Nullable IdleWatch watch;

        private Flow(SocketAddress guest, String rule) throws IOException {
            this.guest = guest;
            this.rule = rule;
            peer = sandbox.egress().dialer().dialUdp(attempt.address(), attempt.port());
        }

        private void start() {
            sandbox.log().allowed(attempt, rule);
            watch = IdleWatch.start(
                    sandbox.egress().timers(), Limits.EGRESS_UDP_IDLE_MAX, () -> lastMove, (rule, words) -> end(rule));
            Thread.ofVirtual().name("egress-udp-back").start(this::back);
        }

        private void send(ByteBuffer packet) throws IOException {
            int bytes = packet.remaining();
            if (sandbox.meter().isUsedUp()) {
                end("limit.bytes");
            } else if (isAllowed(SandboxMeter.Way.OUT, bytes)) {
                peer.write(packet);
                moved(SandboxMeter.Way.OUT, sent, bytes);
            }
        }

        private void back() {
            ByteBuffer packet = buffer();
            while (peer.isOpen()) {
                try {
                    peer.read(packet.clear());
                    boolean isWhole = packet.hasRemaining();
                    int bytes = packet.flip().remaining();
                    if (isWhole && isAllowed(SandboxMeter.Way.IN, bytes)) {
                        socket.send(packet, guest);
                        moved(SandboxMeter.Way.IN, received, bytes);
                    }
                } catch (ClosedChannelException _) {
                    return;
                } catch (IOException _) {
                    // Nobody listens there.
                    end("broken");
                }
            }
        }

        /// A packet over the rate is lost, as it would be on a narrow line.
        private boolean isAllowed(SandboxMeter.Way way, int bytes) {
            long allowed = sandbox.meter().allow(way, bytes);
            if (allowed < bytes) {
                sandbox.meter().giveBack(way, allowed);
                return false;
            }
            return true;
        }

        private void moved(SandboxMeter.Way way, AtomicLong counter, int bytes) {
            counter.addAndGet(bytes);
            sandbox.meter().moved(way, bytes);
            lastMove = System.nanoTime();
        }

        private void end(String why) {
            IdleWatch watching = watch;
            if (watching != null) {
                watching.close();
            }
            if (flows.remove(guest, this)) {
                sandbox.datagrams().give(1);
                sandbox.log().ended(attempt, why, "", sent.get(), received.get());
            }
            try {
                peer.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "a socket could not be closed", e);
            }
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
