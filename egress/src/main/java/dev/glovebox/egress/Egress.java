package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.DialedNetworks;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkNamespace;
import dev.glovebox.core.egress.NetworkPort;
import dev.glovebox.core.egress.NetworkPorts;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The network of all sandboxes of a server: what they share. Thread-safe.
public final class Egress implements NetworkPorts, DialedNetworks, AutoCloseable {
    private final EgressOptions options;
    private final Splicer splicer;
    private final Timers timers = new Timers();
    private final Dialer dialer;
    private final Set<SandboxEgress> open = ConcurrentHashMap.newKeySet();
    private final Pools pools;

    /// Begins; nothing is open yet.
    public Egress(EgressOptions options) {
        this(options, Dialer.Connector.DIRECT);
    }

    Egress(EgressOptions options, Dialer.Connector connector) {
        this(options, connector, OpenFiles.max());
    }

    Egress(EgressOptions options, Dialer.Connector connector, long openFilesMax) {
        this.options = options;
        pools = Pools.of(openFilesMax, open::size);
        splicer = new Splicer(options.threads());
        dialer = new Dialer(options.resolver(), options.own(), connector);
        timers.every(Limits.EGRESS_REPEAT_WINDOW, () -> open.forEach(SandboxEgress::flushLog));
    }

    /// The network of one sandbox, under rules that can be replaced. Closed by whoever opened it.
    public SandboxEgress open(SandboxId sandbox, NetworkGrant grant) {
        SandboxEgress made = new SandboxEgress(this, sandbox, grant);
        open.add(made);
        return made;
    }

    @Override
    public NetworkPort open(NetworkNamespace namespace) {
        return NamespacePort.open(this, namespace);
    }

    @Override
    public DialedNetwork openDialed(SandboxId sandbox, NetworkGrant grant) {
        return new DialedEgress(open(sandbox, grant), SystemTrust.pem());
    }

    EgressOptions options() {
        return options;
    }

    Splicer splicer() {
        return splicer;
    }

    Pools pools() {
        return pools;
    }

    Timers timers() {
        return timers;
    }

    Dialer dialer() {
        return dialer;
    }

    void closed(SandboxEgress sandbox) {
        open.remove(sandbox);
    }

    /// Ends all connections of all sandboxes. Idempotent.
    @Override
    public void close() {
        open.forEach(SandboxEgress::close);
        timers.close();
        splicer.close();
    }
}
