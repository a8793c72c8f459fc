package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.IpAddress;
import dev.glovebox.core.egress.NetworkNamespace;
import dev.glovebox.core.egress.NetworkPort;
import dev.glovebox.core.egress.NetworkPorts;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.Tag;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// One Linux sandbox that runs: its processes, which the supervisor holds, and its agent's connection. Thread-safe.
final class LinuxSandbox implements AgentSandbox.Host {
    private static final System.Logger LOG = System.getLogger(LinuxSandbox.class.getName());
    private static final Duration GONE_MAX = Duration.ofSeconds(10);
    private static final List<String> CAPABILITIES =
            List.of("shell", "files", "contexts", "pty", "ports", "watch", "python", "javascript");

    private final String id;
    private final Supervisor supervisor;
    private final LinuxTier tier;
    private final CompletableFuture<Supervisor.Ended> end;
    private final AgentConnection connection;
    private final Optional<NetworkPort> port;
    private final AtomicReference<Optional<Lanes>> lanes;

    private LinuxSandbox(
            String id,
            Supervisor supervisor,
            LinuxTier tier,
            CompletableFuture<Supervisor.Ended> end,
            AgentConnection connection,
            Optional<NetworkPort> port,
            AtomicReference<Optional<Lanes>> lanes) {
        this.id = id;
        this.supervisor = supervisor;
        this.tier = tier;
        this.end = end;
        this.connection = connection;
        this.port = port;
        this.lanes = lanes;
    }

    /// Starts one and waits for its agent's connection; the agent itself may not be there yet.
    ///
    /// @param gone is run when all of it is gone
    /// @throws GloveboxException BACKEND_LOST with what failed
    static LinuxSandbox start(
            AgentListener listener,
            Supervisor supervisor,
            LinuxTier tier,
            String id,
            Path image,
            LinuxShape shape,
            Runnable gone,
            Optional<NetworkPorts> ports,
            Duration patience)
            throws InterruptedException {
        try (AgentListener.Expected expected = listener.expect()) {
            boolean hasNetwork =
                    ports.isPresent() && supervisor.withoutNetwork().isEmpty();
            StartRequest request = tier.request(id, image, shape, hasNetwork)
                    .put("socket", listener.path().toString())
                    .bytes("greeting", greeting(expected.token()));
            Start events = new Start(
                    id,
                    expected,
                    gone,
                    new CompletableFuture<>(),
                    new AtomicReference<>(),
                    new AtomicReference<>(Optional.empty()));
            CompletableFuture<Supervisor.Ended> end = supervisor.start(request, events);
            try {
                AgentConnection connection = expected.take(patience);
                Optional<NetworkPort> port =
                        hasNetwork ? Optional.of(ports.get().open(events.awaitNetwork(patience))) : Optional.empty();
                events.port.set(port.orElse(null));
                return new LinuxSandbox(id, supervisor, tier, end, connection, port, events.lanes);
            } catch (RuntimeException | InterruptedException failure) {
                supervisor.kill(id);
                throw failure;
            }
        }
    }

    private record Start(
            String id,
            AgentListener.Expected expected,
            Runnable gone,
            CompletableFuture<Optional<NetworkNamespace>> network,
            AtomicReference<@Nullable NetworkPort> port,
            AtomicReference<Optional<Lanes>> lanes)
            implements Supervisor.Events {
        @Override
        public void started(Supervisor.Started what) {
            lanes.set(what.lanes());
            network.complete(what.network());
        }

        @Override
        public void refusedDatagram(IpAddress address, int number) {
            NetworkPort opened = port.get();
            if (opened != null) {
                opened.refusedDatagram(address, number);
            }
        }

        /// It was told before the agent's connection came, or is told in a moment.
        private NetworkNamespace awaitNetwork(Duration patience) throws InterruptedException {
            try {
                return network.get(patience.toMillis(), TimeUnit.MILLISECONDS).orElseThrow();
            } catch (ExecutionException | TimeoutException | NoSuchElementException failure) {
                throw new GloveboxException(
                        ErrorCode.BACKEND_LOST, "the sandbox ended while its network was made", failure);
            }
        }

        @Override
        public void over(String why) {
            network.complete(Optional.empty());
            lanes.get().ifPresent(Lanes::end);
            expected.giveUp(why);
            gone.run();
        }

        @Override
        public void logged(String line) {
            LOG.log(System.Logger.Level.WARNING, "sandbox {0}: {1}", id, line);
        }
    }

    /// The HELLO frame that the supervisor writes: so the token never enters the sandbox.
    private static byte[] greeting(byte[] token) {
        Fields fields = Fields.builder()
                .number(Tag.VERSION, Protocol.VERSION)
                .bytes(Tag.TOKEN, token)
                .text(Tag.AGENT, "linux")
                .texts(Tag.CAPABILITY, CAPABILITIES)
                .build();
        return new Frame(FrameType.HELLO, 0, 0, fields.encode()).encode().array();
    }

    AgentConnection connection() {
        return connection;
    }

    /// How it ended, if it has; for the words of an outcome.
    String ending() {
        return end.isDone() ? end.join().words() : "";
    }

    /// Gives the workload the share of processors that it has in the long run. After the start, which a share
    /// would hold up: the runtime's own kernel has to come up first.
    void share(LinuxShape shape) {
        supervisor.limit(id, tier.groupBytes(shape), Limits.CPU_SHARE_MILLIS_DEFAULT);
    }

    @Override
    public Optional<NetworkPort> networkPort() {
        return port;
    }

    /// Told a moment after the agent's connection came.
    @Override
    public Optional<Lanes> lanes() {
        return lanes.get();
    }

    @Override
    public void released() {
        port.ifPresent(NetworkPort::close);
        supervisor.kill(id);
        try {
            end.get(GONE_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException failure) {
            LOG.log(System.Logger.Level.ERROR, "sandbox {0} did not end within {1} s", id, GONE_MAX.toSeconds());
            throw new GloveboxException(ErrorCode.INTERNAL, "a sandbox did not end in time", failure);
        }
    }

    @Override
    public boolean isGone() {
        return end.isDone() || !supervisor.isAlive();
    }

    @Override
    public void condemn(String why) {
        LOG.log(System.Logger.Level.WARNING, "sandbox {0} is ended: {1}", id, why);
        supervisor.kill(id);
    }
}
