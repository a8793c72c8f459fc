package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.EgressAttempt;
import dev.glovebox.core.egress.EgressDecision;
import dev.glovebox.core.egress.EgressDecision.Allow;
import dev.glovebox.core.egress.EgressDecision.Deny;
import dev.glovebox.core.egress.EgressDecision.ReadName;
import dev.glovebox.core.egress.EgressDecision.Way;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.Handshake;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.Protocol;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// One connection of a guest, from its arrival to its end. A thread of its own finds out where it goes and has
/// that decided; then it is handed to the threads that move bytes, or carried request by request.
final class GuestConnection implements Runnable {
    private static final System.Logger LOG = System.getLogger(GuestConnection.class.getName());
    private static final int DNS_PORT = 53;
    /// Rules that are replaced faster than a decision is made, so many times in a row, end the connection.
    private static final int DECISIONS_MAX = 16;

    private final SandboxEgress sandbox;
    private final SocketChannel guest;
    private final Optional<DialedNetwork.Refusals> told;
    private volatile EgressAttempt attempt;
    private volatile @Nullable Allow allow;
    private volatile SandboxEgress.Rules decidedBy;
    private volatile @Nullable Carried carried;
    private final AtomicLong firstBytes = new AtomicLong();
    private byte[] first = {};

    /// What is to be ended when the connection is cut.
    interface Carried {
        void cut(String rule, String words);
    }

    GuestConnection(
            SandboxEgress sandbox, SocketChannel guest, EgressAttempt attempt, Optional<DialedNetwork.Refusals> told) {
        this.sandbox = sandbox;
        this.guest = guest;
        this.attempt = attempt;
        this.told = told;
        decidedBy = sandbox.current();
    }

    @Override
    public void run() {
        boolean isHandedOver = false;
        try {
            isHandedOver = decideAndCarry();
        } catch (IOException _) {
            // The guest went away before anything was decided.
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a connection of a sandbox failed", e);
        } finally {
            if (!isHandedOver) {
                Sockets.close(guest, true);
                releaseFirst();
                sandbox.over(this);
            }
        }
    }

    /// Returns whether something else ends the connection from here on.
    private boolean decideAndCarry() throws IOException {
        if (attempt.port() == DNS_PORT && attempt.protocol() == Protocol.TCP) {
            DnsOverTcp.serve(guest, sandbox);
            return false;
        }
        for (int i = 0; i < DECISIONS_MAX && !sandbox.isClosed(); i++) {
            SandboxEgress.Rules rules = sandbox.current();
            decidedBy = rules;
            EgressDecision decision = sandbox.decide(rules, attempt);
            if (decision instanceof ReadName(Optional<Allow> otherwise)) {
                if (!readName(otherwise.isPresent())) {
                    refuse(SandboxEgress.SERVER_FULL, "the connections of all sandboxes hold too much for now");
                    return false;
                }
                decision = sandbox.decide(rules, attempt);
            }
            switch (decision) {
                case Deny deny -> {
                    refuse(deny.rule(), deny.reason());
                    return false;
                }
                case Allow allowed -> {
                    allow = allowed;
                    if (sandbox.admit(this, rules)) {
                        sandbox.log().allowed(attempt, allowed.rule());
                        return carry(allowed);
                    }
                }
                case ReadName _ -> throw new IllegalStateException("a name is read once");
            }
        }
        return false;
    }

    private void refuse(String rule, String reason) {
        sandbox.denied(attempt, rule, reason);
        if (told.isEmpty()) {
            Refusals.refuse(guest, attempt.handshake(), rule, reason);
        } else {
            tell(rule, reason);
            Sockets.close(guest, true);
        }
    }

    /// Reads until it is known what the connection asks for, or that it does not say.
    ///
    /// @param isOpenAnyway whether it is only for the record: then not for long
    /// @return false if there is no memory for what it sends
    private boolean readName(boolean isOpenAnyway) throws IOException {
        AskedName asked = new AskedName(attempt.port());
        Duration patience = isOpenAnyway ? Limits.EGRESS_GLANCE : Limits.EGRESS_HANDSHAKE_MAX;
        long end = System.nanoTime() + patience.toNanos();
        byte[] buffer = new byte[2048];
        Optional<Handshake> handshake = Optional.empty();
        InputStream in = guest.socket().getInputStream();
        while (handshake.isEmpty()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            int read = left <= 0 ? 0 : readWithin(in, buffer, (int) left);
            handshake = read <= 0 ? Optional.of(new Handshake.Silent()) : asked.feed(buffer, read);
            if (!holdsFirst(asked.heldBytes())) {
                return false;
            }
        }
        guest.socket().setSoTimeout(0);
        first = asked.bytes();
        holdsFirst(first.length);
        Handshake found = handshake.get();
        Set<HostName> names =
                found.shownName().map(shown -> sandbox.namesFor(attempt, shown)).orElse(attempt.asked());
        attempt = attempt.with(found, names);
        return true;
    }

    /// Accounts for what the first bytes take from here on; false if there is no room for more.
    private boolean holdsFirst(long bytes) {
        long more = bytes - firstBytes.get();
        if (more > 0 && !sandbox.firstBytes().take(more)) {
            return false;
        }
        if (more < 0) {
            sandbox.firstBytes().give(-more);
        }
        firstBytes.set(bytes);
        return true;
    }

    private void releaseFirst() {
        sandbox.firstBytes().give(firstBytes.getAndSet(0));
    }

    /// -1 at the end, 0 if nothing came.
    private int readWithin(InputStream in, byte[] buffer, int millis) {
        try {
            guest.socket().setSoTimeout(millis);
            return in.read(buffer);
        } catch (SocketTimeoutException _) {
            return 0;
        } catch (IOException _) {
            // It broke off: what it was is recorded all the same.
            return -1;
        }
    }

    private boolean carry(Allow allowed) {
        return switch (allowed.way()) {
            case Way.Direct _ ->
                splice(
                        new Splice.Bounds(0, Limits.EGRESS_IDLE_MAX),
                        () -> sandbox.egress()
                                .dialer()
                                .dial(
                                        attempt.address(),
                                        attempt.port(),
                                        decidedBy.policy().proxy()));
            case Way.ThroughTunnel way -> throughTunnel(way);
            case Way.Requests way -> {
                inspect(way);
                yield false;
            }
        };
    }

    private boolean throughTunnel(Way.ThroughTunnel way) {
        if (sandbox.through(way.tunnel().name()) > way.tunnel().connectionsMax()) {
            refuse("limit.tunnel_connections", "more connections at once than the tunnel allows");
            return false;
        }
        Splice.Bounds bounds =
                new Splice.Bounds(way.tunnel().bytesMax(), way.tunnel().idleMax());
        if (!way.tunnel().isTls()) {
            return splice(bounds, () -> sandbox.egress().dialer().dial(way.tunnel()));
        }
        TlsTunnel tunnel = new TlsTunnel(sandbox, guest, way.tunnel());
        carried = tunnel;
        end(tunnel.run());
        return false;
    }

    /// Opens the outer half.
    private interface Dial {
        SocketChannel dial() throws IOException;
    }

    private boolean splice(Splice.Bounds bounds, Dial dial) {
        SocketChannel peer;
        try {
            peer = dial.dial();
        } catch (IOException e) {
            failed(e);
            return false;
        }
        Splice splice = new Splice(
                sandbox.egress().splicer().loop(),
                sandbox.meter(),
                guest,
                peer,
                bounds,
                (rule, words, sent, received) -> {
                    end(new Ending(rule, words, sent, received));
                    sandbox.over(this);
                });
        carried = splice::cut;
        splice.start(first, this::releaseFirst);
        cutIfClosedMeanwhile();
        return true;
    }

    private void inspect(Way.Requests way) {
        if (!sandbox.beginInspection()) {
            refuse(
                    "limit.inspected",
                    "more than " + Limits.EGRESS_INSPECTED_MAX
                            + " connections at once whose requests are looked at, or too" + " many of all sandboxes");
            return;
        }
        try {
            InspectedConnection connection = new InspectedConnection(
                    sandbox, guest, attempt, way, decidedBy.policy().proxy(), first);
            carried = connection;
            cutIfClosedMeanwhile();
            end(connection.run());
        } finally {
            sandbox.endInspection();
        }
    }

    /// Between the decision and this moment the rules may have been replaced: who cut it then found nothing to
    /// cut.
    private void cutIfClosedMeanwhile() {
        Allow given = allow;
        if (given == null || sandbox.isClosed() || !isAllowedBy(sandbox.current())) {
            cut("policy.replaced", "the rules that allowed it were replaced");
        }
    }

    private void failed(IOException e) {
        String words = e instanceof SocketTimeoutException ? "it does not answer" : "it cannot be connected to";
        Allow given = allow;
        sandbox.log().refused(EgressEvent.Kind.CONNECTION_FAILED, attempt, given == null ? "" : given.rule(), words);
        tell("", attempt.address() + " at port " + attempt.port() + ": " + words);
    }

    /// How a connection ended.
    record Ending(String rule, String words, long sent, long received) {}

    private void end(Ending ending) {
        if (ending.rule.startsWith("limit.")) {
            tell(ending.rule, ending.words);
        }
        sandbox.log().ended(attempt, ending.rule, ending.words, ending.sent, ending.received);
    }

    private void tell(String rule, String words) {
        told.ifPresent(it -> it.refused(rule, words));
    }

    /// Whether other rules would let it go on just as it does.
    boolean isAllowedBy(SandboxEgress.Rules rules) {
        Allow given = allow;
        return given != null
                && sandbox.decide(rules, attempt) instanceof Allow next
                && next.way().equals(given.way())
                && rules.policy().proxy().equals(decidedBy.policy().proxy());
    }

    boolean isThrough(TunnelName tunnel) {
        Allow given = allow;
        return given != null
                && given.way() instanceof Way.ThroughTunnel through
                && through.tunnel().name().equals(tunnel);
    }

    /// Ends it, whatever it is at; from any thread.
    void cut(String rule, String words) {
        tell(rule, words);
        Carried at = carried;
        if (at != null) {
            at.cut(rule, words);
        } else {
            Sockets.close(guest, true);
        }
    }
}
