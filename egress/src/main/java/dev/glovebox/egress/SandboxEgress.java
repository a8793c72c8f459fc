package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.DialedNetwork.Refusals;
import dev.glovebox.core.egress.EgressAttempt;
import dev.glovebox.core.egress.EgressDecision;
import dev.glovebox.core.egress.EgressEvent;
import dev.glovebox.core.egress.HostName;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.core.egress.SandboxNetwork;
import dev.glovebox.core.egress.Surroundings;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One sandbox's network: what arrives at its listeners is handed in here, decided, carried and recorded.
/// Thread-safe.
public final class SandboxEgress implements SandboxNetwork {
    /// The rule on the record where what all sandboxes share is used up.
    static final String SERVER_FULL = "limit.server";

    private final Egress egress;
    private final SandboxId sandbox;
    private final EgressLog log;
    private final SandboxMeter meter;
    private final SandboxNames names;
    private final DnsAnswerer dns;
    private final AtomicInteger begun = new AtomicInteger();
    private final Pool.Share places;
    private final Pool.Share firstBytes;
    private final Pool.Share inspected;
    private final Pool.Share datagrams;
    private final Set<GuestConnection> all = ConcurrentHashMap.newKeySet();
    private final AtomicLong allowed = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final Object lock = new Object();
    private final Set<GuestConnection> connections = new HashSet<>();
    private volatile Rules rules;
    private volatile boolean isClosed;
    private volatile @Nullable SandboxAuthority authority;

    /// What holds at a moment; replaced as a whole.
    ///
    /// @param number counts the replacements
    record Rules(long number, NetworkPolicy policy, Map<TunnelName, Tunnel> tunnels) {}

    SandboxEgress(Egress egress, SandboxId sandbox, NetworkGrant grant) {
        this.egress = egress;
        this.sandbox = sandbox;
        rules = rules(0, grant);
        EgressOptions options = egress.options();
        log = new EgressLog(sandbox, options.recorder(), options.clock());
        Pools pools = egress.pools();
        places = pools.connections().share(Limits.EGRESS_CONNECTIONS_MAX);
        firstBytes = pools.firstBytes().share(Limits.EGRESS_FIRST_BYTES_ALL_MAX);
        inspected = pools.inspected().share(Limits.EGRESS_INSPECTED_MAX);
        datagrams = pools.datagrams().share(Limits.EGRESS_UDP_SOCKETS_ALL_MAX);
        meter = new SandboxMeter(grant.policy().limits(), pools.heldBytes());
        names = new SandboxNames(
                bounded(options.resolver(), pools.lookUps().share(Limits.EGRESS_DNS_WAITING_MAX)), System::nanoTime);
        dns = new DnsAnswerer(name -> rules.policy.decideName(name), names, log::name);
    }

    /// The same, for so many names at once as there is room for.
    private static NameResolver bounded(NameResolver resolver, Pool.Share lookUps) {
        return name -> {
            if (!lookUps.take(1)) {
                throw new IOException("too many look-ups wait for an answer");
            }
            try {
                return resolver.resolve(name);
            } finally {
                lookUps.give(1);
            }
        };
    }

    /// Takes over a connection that a guest made, and returns at once.
    ///
    /// @param guest blocking, connected; closed in the end
    /// @param destination where the guest wanted to go
    public void accept(SocketChannel guest, IpAddress destination, int port) {
        accept(guest, destination, port, Optional.empty());
    }

    /// The same, for a guest that is told in words what is refused, instead of in the protocol that it speaks.
    void accept(SocketChannel guest, IpAddress destination, int port, Optional<Refusals> told) {
        EgressAttempt attempt = EgressAttempt.tcp(destination, port, names.of(destination));
        if (isClosed) {
            Sockets.close(guest, true);
        } else if (begun.incrementAndGet() > meter.limits().connections()) {
            refuseForLimit(
                    guest, attempt, told, "limit.connections", "more connections at once than the policy allows");
        } else if (!meter.tryConnect()) {
            refuseForLimit(guest, attempt, told, "limit.rate", "more connections a second than the policy allows");
        } else if (!places.take(1)) {
            refuseForLimit(guest, attempt, told, SERVER_FULL, "the connections of all sandboxes are too many for now");
        } else {
            GuestConnection connection = new GuestConnection(this, guest, attempt, told);
            all.add(connection);
            Thread.ofVirtual().name("egress-" + sandbox).start(connection);
            if (isClosed) {
                connection.cut("sandbox.closed", "");
            }
        }
    }

    private void refuseForLimit(
            SocketChannel guest, EgressAttempt attempt, Optional<Refusals> told, String rule, String words) {
        begun.decrementAndGet();
        denied(attempt, rule, words);
        told.ifPresent(it -> it.refused(rule, words));
        Sockets.close(guest, true);
    }

    /// Takes note of a datagram that nobody took: it says on the record why.
    void refusedDatagram(IpAddress address, int port) {
        EgressAttempt attempt = EgressAttempt.udp(address, port);
        // What is open by now has a relay, which this one came before.
        if (!isClosed && decide(rules, attempt) instanceof EgressDecision.Deny deny) {
            denied(attempt, deny.rule(), deny.reason());
        }
    }

    /// The answer to a DNS query of the sandbox's; empty if it gets none. Blocks while a name is looked up.
    public Optional<byte[]> answer(byte[] query) {
        return isClosed ? Optional.empty() : dns.answer(query);
    }

    /// The addresses of a name, if the sandbox may know them. Blocks while it is looked up.
    DnsAnswerer.Answer find(HostName name) {
        return dns.find(name);
    }

    @Override
    public void replace(NetworkGrant grant) {
        List<GuestConnection> cut = new ArrayList<>();
        synchronized (lock) {
            Rules next = rules(rules.number + 1, grant);
            rules = next;
            meter.change(grant.policy().limits());
            for (GuestConnection connection : connections) {
                if (!connection.isAllowedBy(next)) {
                    cut.add(connection);
                }
            }
        }
        cut.forEach(connection -> connection.cut("policy.replaced", "the rules that allowed it were replaced"));
        log.replaced(cut.size() + " connections were cut");
    }

    @Override
    public NetworkUsage usage() {
        synchronized (lock) {
            return new NetworkUsage(connections.size(), allowed.get(), denied.get(), meter.sent(), meter.received());
        }
    }

    @Override
    public String authorityPem() {
        return authority().pem();
    }

    @Override
    public void close() {
        synchronized (lock) {
            isClosed = true;
        }
        all.forEach(connection -> connection.cut("sandbox.closed", ""));
        log.flush();
        egress.closed(this);
    }

    // ---- for connections

    private static Rules rules(long number, NetworkGrant grant) {
        return new Rules(
                number,
                grant.policy(),
                grant.tunnels().stream().collect(Collectors.toMap(Tunnel::name, Function.identity())));
    }

    Rules current() {
        return rules;
    }

    EgressDecision decide(Rules by, EgressAttempt attempt) {
        return by.policy.decide(attempt, new Surroundings(egress.options().own().get(), by.tunnels));
    }

    /// Counts a decided connection among those that live, unless the rules have changed since, or it has become
    /// too much.
    ///
    /// @return whether it may go on; if not because of the rules, decide again
    boolean admit(GuestConnection connection, Rules decidedBy) {
        synchronized (lock) {
            if (isClosed || rules.number != decidedBy.number) {
                return false;
            }
            connections.add(connection);
            allowed.incrementAndGet();
            return true;
        }
    }

    boolean isClosed() {
        return isClosed;
    }

    /// How many live connections go through this tunnel.
    int through(TunnelName tunnel) {
        synchronized (lock) {
            return (int) connections.stream()
                    .filter(connection -> connection.isThrough(tunnel))
                    .count();
        }
    }

    boolean beginInspection() {
        return inspected.take(1);
    }

    void endInspection() {
        inspected.give(1);
    }

    /// What it takes of the memory for first bytes.
    Pool.Share firstBytes() {
        return firstBytes;
    }

    /// What it takes of the sockets for UDP.
    Pool.Share datagrams() {
        return datagrams;
    }

    /// A connection that [#accept] took is over.
    void over(GuestConnection connection) {
        begun.decrementAndGet();
        places.give(1);
        all.remove(connection);
        synchronized (lock) {
            connections.remove(connection);
        }
    }

    void denied(EgressAttempt attempt, String rule, String words) {
        denied.incrementAndGet();
        log.refused(EgressEvent.Kind.CONNECTION_DENIED, attempt, rule, words);
    }

    /// The names of an address, with one looked up that a connection shows without having asked for it: a
    /// program may remember addresses from before, but it is this look-up that counts.
    Set<HostName> namesFor(EgressAttempt attempt, HostName shown) {
        Set<HostName> known = names.of(attempt.address());
        if (known.contains(shown)
                || TunnelName.isTunnel(shown)
                || !rules.policy.dependsOn(shown)
                || !(rules.policy.decideName(shown) instanceof EgressDecision.Allow)) {
            return known;
        }
        try {
            names.lookUp(shown);
        } catch (IOException _) {
            return known;
        }
        return names.of(attempt.address());
    }

    SandboxAuthority authority() {
        SandboxAuthority made = authority;
        if (made == null) {
            synchronized (lock) {
                made = authority;
                if (made == null) {
                    made = SandboxAuthority.create(
                            sandbox.value(), egress.options().clock());
                    authority = made;
                }
            }
        }
        return made;
    }

    void flushLog() {
        log.flush();
    }

    EgressLog log() {
        return log;
    }

    SandboxMeter meter() {
        return meter;
    }

    Egress egress() {
        return egress;
    }

    SandboxId sandbox() {
        return sandbox;
    }
}
