package dev.glovebox.backends;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.PortPeer;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.TerminalSize;
import dev.glovebox.core.Usage;
import dev.glovebox.core.WatchSink;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.DialedNetworks;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkPort;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.core.egress.SandboxNetwork;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A sandbox whose agent speaks the agent protocol: the same for every tier. Thread-safe.
final class AgentSandbox implements SandboxHandle {
    /// A guest reads its standard input when it likes; the wait ends with the process.
    private static final Duration INPUT_MAX = Limits.WALL_TIME_MAX.multipliedBy(2);
    /// Executions of one context that wait their turn; as many as the protocol lets an agent keep.
    private static final int EXECUTIONS_WAITING_MAX = 64;
    /// SIGINT, as Linux numbers it.
    private static final int SIGNAL_INTERRUPT = 2;

    private final AgentConnection connection;
    private final Host host;
    private final Patience patience;
    private final AgentRequests requests;
    private final AgentFiles files;
    private final Map<ProcessId, AgentChannel> processes = new ConcurrentHashMap<>();
    private final Set<ProcessId> terminals = ConcurrentHashMap.newKeySet();
    private final Map<ContextId, AgentChannel> executions = new ConcurrentHashMap<>();
    private volatile @Nullable SandboxNetwork network;
    /// Whether the programs inside trust the authority of the network.
    private final AtomicBoolean trusts = new AtomicBoolean();
    /// The last CONFIGURE: the limits that hold.
    private volatile Fields configured = Fields.builder().build();

    private final Set<PortCall> portCalls = ConcurrentHashMap.newKeySet();
    /// Whose turn it is in a context. The agent would queue them too, but then nobody here could tell a guest that is
    /// not ended at its limit from one that waits for its turn.
    private final Map<ContextId, ReentrantLock> turns = new ConcurrentHashMap<>();

    /// What hosts the sandbox.
    interface Host {
        /// The sandbox is ended and its connection closed.
        void released();

        /// Its agent does not keep its promises: end whatever hosts it.
        void condemn(String why);

        /// Whether what holds the sandbox is gone, so that the sandbox is going, too.
        default boolean isGone() {
            return false;
        }

        /// Where what it sends arrives; empty if nothing does.
        default Optional<NetworkPort> networkPort() {
            return Optional.empty();
        }

        /// Memory that it shares with this process; empty if there is none.
        default Optional<Lanes> lanes() {
            return Optional.empty();
        }
    }

    AgentSandbox(AgentConnection connection, Host host) {
        this(connection, host, Patience.DEFAULT);
    }

    /// For tests, which wait less.
    AgentSandbox(AgentConnection connection, Host host, Patience patience) {
        this.connection = connection;
        this.host = host;
        this.patience = patience;
        this.requests = new AgentRequests(connection, host, patience);
        this.files = new AgentFiles(requests, host::lanes);
    }

    @Override
    public Execution.Result start(ProcessId process, Execution.ProcessSpec spec, ExecutionSink sink) {
        Fields.Builder fields = Fields.builder()
                .texts(Tag.ARGUMENT, spec.arguments())
                .texts(Tag.ENVIRONMENT, Requests.environment(spec.environment()))
                .text(Tag.DIRECTORY, spec.directory().value())
                .flag(Tag.STDIN_OPEN, spec.takesInput());
        spec.code()
                .ifPresent(code -> fields.text(Tag.LANGUAGE, code.language().word())
                        .text(Tag.FILE_NAME, code.fileName())
                        .bytes(Tag.CODE, code.content()));
        spec.user().ifPresent(user -> fields.text(Tag.USER, user.name()));
        spec.terminal().ifPresent(size -> Requests.putTerminal(fields, size));
        Requests.putLimits(fields, spec.limits());
        return requests.exchange(RequestKind.PROCESS, fields.build(), channel -> {
            processes.put(process, channel);
            if (spec.terminal().isPresent()) {
                terminals.add(process);
            }
            try {
                sink.started(process);
                return follow(channel, spec.limits(), sink, Outcomes::checkProcess);
            } finally {
                processes.remove(process);
                terminals.remove(process);
            }
        });
    }

    @Override
    public Execution.Result execute(
            ContextId context,
            String code,
            Map<String, String> environment,
            ResourceLimits limits,
            ExecutionSink sink) {
        Fields.Builder fields = Fields.builder()
                .text(Tag.CONTEXT, context.value())
                .text(Tag.CODE, code)
                .texts(Tag.ENVIRONMENT, Requests.environment(environment));
        Requests.putLimits(fields, limits);
        ReentrantLock turn = turns.computeIfAbsent(context, _ -> new ReentrantLock(true));
        awaitTurn(context, turn);
        try {
            return requests.exchange(RequestKind.EXECUTE, fields.build(), channel -> {
                try {
                    return follow(channel, limits, sink, new Running(context, channel));
                } finally {
                    executions.remove(context, channel);
                }
            });
        } finally {
            turn.unlock();
        }
    }

    private static void awaitTurn(ContextId context, ReentrantLock turn) {
        if (turn.getQueueLength() >= EXECUTIONS_WAITING_MAX) {
            throw new GloveboxException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "context " + context + " has " + EXECUTIONS_WAITING_MAX
                            + " executions waiting, the bound: wait for one");
        }
        try {
            turn.lockInterruptibly();
        } catch (InterruptedException _) {
            throw AgentRequests.interrupted();
        }
    }

    /// Notes which execution of a context runs, so that it can be interrupted.
    private final class Running implements ExecutionCall.Observer {
        private final ContextId context;
        private final AgentChannel channel;

        Running(ContextId context, AgentChannel channel) {
            this.context = context;
            this.channel = channel;
        }

        @Override
        public void started() {
            executions.put(context, channel);
        }

        @Override
        public void check(Fields close) {
            Outcomes.checkExecution(close);
        }
    }

    private Execution.Result follow(
            AgentChannel channel, ResourceLimits limits, ExecutionSink sink, ExecutionCall.Observer observer) {
        try {
            return new ExecutionCall(channel, limits, patience, sink, observer).await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return ended(new Outcome.Killed("the caller went away"));
        } catch (ExecutionCall.Overdue overdue) {
            host.condemn(overdue.words());
            return ended(new Outcome.TimedOut(overdue.limit(), Outcome.Clock.WALL));
        } catch (ProtocolException broken) {
            host.condemn(broken.getMessage());
            return ended(new Outcome.BackendLost(broken.getMessage()));
        } catch (GloveboxException lost) {
            if (lost.code() != ErrorCode.BACKEND_LOST) {
                throw lost;
            }
            return ended(new Outcome.BackendLost(lost.getMessage()));
        }
    }

    private static Execution.Result ended(Outcome outcome) {
        return new Execution.Result(outcome, Usage.NONE, Optional.empty(), false);
    }

    @Override
    public void writeInput(ProcessId process, byte[] bytes, boolean end) {
        AgentChannel channel = running(process);
        try {
            boolean wanted = channel.write(Protocol.STDIN, bytes, bytes.length, INPUT_MAX);
            if (wanted && end) {
                channel.end(Protocol.STDIN);
            }
        } catch (InterruptedException _) {
            throw AgentRequests.interrupted();
        } catch (ProtocolException broken) {
            throw requests.condemned(broken);
        }
    }

    @Override
    public void signal(ProcessId process, int signal) {
        AgentChannel channel = running(process);
        if (signal == SIGNAL_INTERRUPT) {
            channel.interrupt();
        } else {
            channel.control(Fields.builder().number(Tag.SIGNAL, signal).build());
        }
    }

    private AgentChannel running(ProcessId process) {
        AgentChannel channel = processes.get(process);
        if (channel == null) {
            throw new GloveboxException(ErrorCode.PROCESS_NOT_FOUND, "process " + process + " does not run");
        }
        return channel;
    }

    @Override
    public void resize(ProcessId process, TerminalSize size) {
        AgentChannel channel = running(process);
        if (!terminals.contains(process)) {
            throw new GloveboxException(ErrorCode.UNSUPPORTED, "process " + process + " has no terminal to resize");
        }
        channel.control(Requests.terminal(size));
    }

    @Override
    public FileEntry stat(GuestPath path, FileAccess access) {
        return files.stat(path, access);
    }

    @Override
    public List<FileEntry> list(GuestPath path, FileAccess access, int depth) {
        return files.list(path, access, depth);
    }

    @Override
    public FileEntry read(GuestPath path, FileAccess access, long offset, long length, ByteSink content) {
        return files.read(path, access, offset, length, content);
    }

    @Override
    public FileEntry write(GuestPath path, FileAccess access, Map<String, String> attributes, ByteSource content) {
        return files.write(path, access, attributes, content);
    }

    @Override
    public FileEntry makeDirectory(GuestPath path, FileAccess access) {
        return files.makeDirectory(path, access);
    }

    @Override
    public FileEntry move(GuestPath from, FileAccess access, GuestPath to) {
        return files.move(from, access, to);
    }

    @Override
    public void remove(GuestPath path, FileAccess access) {
        files.remove(path, access);
    }

    @Override
    public void watch(GuestPath path, FileAccess access, boolean recursive, WatchSink sink) {
        files.watch(path, access, recursive, sink);
    }

    @Override
    public SandboxUsage usage() {
        return requests.call(RequestKind.METRICS, Fields.builder().build(), close -> Outcomes.usage(close, configured));
    }

    @Override
    public void openContext(ContextId context, Language language, GuestPath directory) {
        Fields fields = Fields.builder()
                .text(Tag.CONTEXT, context.value())
                .text(Tag.LANGUAGE, language.word())
                .text(Tag.DIRECTORY, directory.value())
                .build();
        requests.exchange(
                RequestKind.CONTEXT_OPEN, fields, channel -> AgentRequests.awaitClose(channel, patience.context()));
    }

    @Override
    public void interrupt(ContextId context) {
        AgentChannel channel = executions.get(context);
        if (channel != null) {
            channel.interrupt();
        }
    }

    @Override
    public void closeContext(ContextId context) {
        Fields fields = Fields.builder().text(Tag.CONTEXT, context.value()).build();
        try {
            requests.call(RequestKind.CONTEXT_CLOSE, fields, Function.identity());
        } catch (GloveboxException refusal) {
            // An execution that was ended took its context with it: then it is closed already.
            if (refusal.code() != ErrorCode.FILE_NOT_FOUND) {
                throw refusal;
            }
        }
        turns.remove(context);
    }

    @Override
    public void connect(int port, PortPeer peer) {
        Fields fields = Fields.builder().number(Tag.PORT, port).build();
        requests.exchange(RequestKind.CONNECT, fields, channel -> {
            PortCall call = new PortCall(channel, port, peer, patience.request());
            portCalls.add(call);
            try {
                call.await();
            } finally {
                portCalls.remove(call);
            }
            return port;
        });
    }

    /// Begins to carry what it sends; before any of the guest's code runs.
    ///
    /// @throws GloveboxException UNSUPPORTED if it has no network and needs one
    AgentSandbox openNetwork(SandboxId id, NetworkGrant grant) {
        Optional<NetworkPort> port = host.networkPort();
        if (port.isPresent()) {
            SandboxNetwork opened = port.get().open(id, grant);
            network = opened;
            trustAuthority(opened, grant);
        } else {
            refuseNetwork(grant);
        }
        return this;
    }

    /// The same for a sandbox in a cell, which asks for its connections.
    ///
    /// @param networks empty if there are none to open
    AgentSandbox openDialed(SandboxId id, NetworkGrant grant, Optional<DialedNetworks> networks) {
        if (networks.isEmpty()) {
            refuseNetwork(grant);
            return this;
        }
        CellNetwork opened = new CellNetwork(connection, requests, networks.get(), id);
        // It is told whom to trust on its own way.
        trusts.set(true);
        network = opened;
        opened.replace(grant);
        return this;
    }

    /// Before rules need it, once.
    private void trustAuthority(SandboxNetwork of, NetworkGrant grant) {
        if (!grant.policy().requests().isEmpty() && trusts.compareAndSet(false, true)) {
            try {
                GuestTrust.install(files, of.authorityPem());
            } catch (RuntimeException failure) {
                trusts.set(false);
                throw failure;
            }
        }
    }

    /// Refuses rules that open anything, for a sandbox that has no network.
    static void refuseNetwork(NetworkGrant grant) {
        if (!grant.policy().reachesNothing()) {
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED,
                    "this sandbox has no network to open; 'glovebox doctor' says which tiers have one here, and what the"
                            + " others need");
        }
    }

    @Override
    public void replaceNetwork(NetworkGrant grant) {
        SandboxNetwork now = network;
        if (now != null) {
            trustAuthority(now, grant);
            now.replace(grant);
        } else {
            refuseNetwork(grant);
        }
    }

    @Override
    public NetworkUsage networkUsage() {
        SandboxNetwork now = network;
        return now == null ? NetworkUsage.NONE : now.usage();
    }

    /// Sends the sandbox's identity, limits and environment; part of the start.
    void configure(Fields fields) {
        configured = fields;
        requests.call(RequestKind.CONFIGURE, fields, Function.identity());
    }

    /// As [#configure], but does not wait: what is asked of the sandbox next goes out behind it, and fails if it fails.
    AgentSandbox configureAhead(Fields fields) {
        configured = fields;
        requests.sendAhead(RequestKind.CONFIGURE, fields);
        return this;
    }

    @Override
    public void awaitReady() {
        requests.settle();
    }

    /// As [#configure]; a sandbox that refuses, or does not answer, is closed before the caller hears of it.
    AgentSandbox configureOrClose(Fields fields) {
        try {
            configure(fields);
            return this;
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    /// Whether its agent has gone, or will in a moment.
    boolean isLost() {
        return connection.isLost() || host.isGone();
    }

    @Override
    public void onLost(Consumer<String> action) {
        connection.onLost(action);
    }

    @Override
    public void close() {
        connection.close();
        SandboxNetwork last = network;
        if (last != null) {
            last.close();
        }
        // A peer that does not read would otherwise be written to for ever.
        portCalls.forEach(PortCall::breakOff);
        host.released();
    }
}
