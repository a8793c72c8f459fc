package dev.glovebox.server;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.egress.DialedNetwork;
import dev.glovebox.core.egress.DialedNetworks;
import dev.glovebox.core.egress.EgressRecorder;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkNamespace;
import dev.glovebox.core.egress.NetworkPort;
import dev.glovebox.core.egress.NetworkPorts;
import dev.glovebox.core.egress.SecretSource;
import dev.glovebox.egress.DnsClient;
import dev.glovebox.egress.Egress;
import dev.glovebox.egress.EgressOptions;
import dev.glovebox.egress.HostAddresses;
import dev.glovebox.egress.SystemTrust;
import java.io.IOException;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/// The network of this process' sandboxes, as the host has it: its name servers, its trust, its addresses. Made when
/// the first sandbox that can have one starts, so that runs in other tiers do not wait for it. Thread-safe.
final class OutboundNetwork implements NetworkPorts, DialedNetworks, AutoCloseable {
    /// Each moves more than one network card carries.
    private static final int THREADS_MAX = 2;

    private final SecretSource secrets;
    private final EgressRecorder recorder;
    private final Clock clock;
    private final Object lock = new Object();
    private @Nullable Egress egress;
    private boolean closed;

    OutboundNetwork(SecretSource secrets, EgressRecorder recorder, Clock clock) {
        this.secrets = secrets;
        this.recorder = recorder;
        this.clock = clock;
    }

    @Override
    public NetworkPort open(NetworkNamespace namespace) {
        return egress().open(namespace);
    }

    @Override
    public DialedNetwork openDialed(SandboxId sandbox, NetworkGrant grant) {
        return egress().openDialed(sandbox, grant);
    }

    private Egress egress() {
        synchronized (lock) {
            if (closed) {
                throw new GloveboxException(ErrorCode.OVERLOADED, "this server is stopping");
            }
            Egress made = egress;
            if (made == null) {
                made = new Egress(options());
                egress = made;
            }
            return made;
        }
    }

    private EgressOptions options() {
        int threads = Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors());
        try {
            return new EgressOptions(
                    DnsClient.ofHost(), SystemTrust.context(), secrets, recorder, new HostAddresses(), clock, threads);
        } catch (IOException | IllegalStateException e) {
            throw new GloveboxException(
                    ErrorCode.TIER_UNAVAILABLE,
                    "the network of sandboxes cannot be had on this host: " + e.getMessage(),
                    e);
        }
    }

    /// Ends all connections. Idempotent.
    @Override
    public void close() {
        Egress made;
        synchronized (lock) {
            closed = true;
            made = egress;
        }
        if (made != null) {
            made.close();
        }
    }
}
