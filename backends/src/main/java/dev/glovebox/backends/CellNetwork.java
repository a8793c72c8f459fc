package dev.glovebox.backends;

import dev.glovebox.core.Limits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.DialedNetworks;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.core.egress.SandboxNetwork;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// The network of a sandbox in a cell, which asks for its connections on a channel that is open as long as the rules
/// open anything ([NetworkCall]). Nothing is made for a sandbox whose rules never do. Thread-safe.
final class CellNetwork implements SandboxNetwork {
    private final AgentConnection connection;
    private final AgentRequests requests;
    private final DialedNetworks networks;
    private final SandboxId sandbox;
    /// Of the sandbox, however often its channel is opened anew.
    private final Semaphore places = new Semaphore(Limits.CELL_CONNECTIONS_MAX);

    private @Nullable DialedNetwork dialed;
    private @Nullable AgentChannel channel;
    private boolean closed;

    CellNetwork(AgentConnection connection, AgentRequests requests, DialedNetworks networks, SandboxId sandbox) {
        this.connection = connection;
        this.requests = requests;
        this.networks = networks;
        this.sandbox = sandbox;
    }

    @Override
    public synchronized void replace(NetworkGrant grant) {
        boolean isOpen = !grant.policy().reachesNothing();
        DialedNetwork now = dialed;
        if (closed || (now == null && !isOpen)) {
            return;
        }
        if (now == null) {
            now = networks.openDialed(sandbox, grant);
            dialed = now;
        } else {
            now.replace(grant);
        }
        if (isOpen && channel == null) {
            channel = begin(now);
        } else if (!isOpen) {
            endChannel();
        }
    }

    private AgentChannel begin(DialedNetwork of) {
        Fields.Builder fields = Fields.builder();
        of.trustPem().forEach(pem -> fields.bytes(Tag.TRUST, pem.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        AgentChannel opened = requests.open(RequestKind.NETWORK, fields.build());
        Thread.ofVirtual()
                .name("network-" + sandbox)
                .start(new NetworkCall(opened, connection, requests, of, places)::run);
        return opened;
    }

    private void endChannel() {
        AgentChannel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public synchronized NetworkUsage usage() {
        return dialed == null ? NetworkUsage.NONE : dialed.usage();
    }

    @Override
    public String authorityPem() {
        throw new IllegalStateException("a cell is told whom to trust when its network opens");
    }

    @Override
    public synchronized void close() {
        closed = true;
        endChannel();
        if (dialed != null) {
            dialed.close();
        }
    }
}
