package dev.glovebox.backends;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Language;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.PortPeer;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Usage;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/// A sandbox whose agent speaks the agent protocol: the same for every tier. Thread-safe.
final class AgentSandbox implements SandboxHandle {
    private static final int WRITE_BYTES = Protocol.PAYLOAD_BYTES_MAX;
    /// A guest reads its standard input when it likes; the wait ends with the process.
    private static final Duration INPUT_MAX = Limits.WALL_TIME_MAX.multipliedBy(2);
    /// Executions of one context that wait their turn; as many as the protocol lets an agent keep.
    private static final int EXECUTIONS_WAITING_MAX = 64;
    /// A listing is held in memory as a whole, and a guest can give its files paths of 4 KiB.
    private static final int LISTING_BYTES_MAX = 32 * 1024 * 1024;
    /// An entry of a listing: two paths and some numbers.
    private static final int ENTRY_BYTES_MAX = 16 * 1024;
    /// SIGINT, as Linux numbers it.
    private static final int SIGNAL_INTERRUPT = 2;

    private final AgentConnection connection;
    private final Host host;
    private final Patience patience;
    private final Map<ProcessId, AgentChannel> processes = new ConcurrentHashMap<>();
    private final Map<ContextId, AgentChannel> executions = new ConcurrentHashMap<>();
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
    }

    AgentSandbox(AgentConnection connection, Host host) {
        this(connection, host, Patience.DEFAULT);
    }

    /// For tests, which wait less.
    AgentSandbox(AgentConnection connection, Host host, Patience patience) {
        this.connection = connection;
        this.host = host;
        this.patience = patience;
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
        Requests.putLimits(fields, spec.limits());
        return exchange(RequestKind.PROCESS, fields.build(), channel -> {
            processes.put(process, channel);
            try {
                sink.started(process);
                return follow(channel, spec.limits(), sink, Outcomes::checkProcess);
            } finally {
                processes.remove(process);
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
            return exchange(RequestKind.EXECUTE, fields.build(), channel -> {
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
            throw interrupted();
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
            throw interrupted();
        } catch (ProtocolException broken) {
            throw condemned(broken);
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
    public FileEntry stat(GuestPath path) {
        return call(RequestKind.STAT, Requests.path(path), Outcomes::file);
    }

    @Override
    public List<FileEntry> list(GuestPath path, int depth) {
        Fields fields = Fields.builder()
                .text(Tag.PATH, path.value())
                .number(Tag.DEPTH, depth)
                .build();
        List<FileEntry> entries = new ArrayList<>();
        RecordReader records = new RecordReader(ENTRY_BYTES_MAX);
        return exchange(RequestKind.LIST, fields, channel -> {
            Stream content = new Stream(Protocol.RECORDS, LISTING_BYTES_MAX, bytes -> {
                records.read(bytes, entry -> entries.add(Outcomes.file(entry)));
            });
            awaitClose(channel, content, patience.request());
            return entries;
        });
    }

    @Override
    public FileEntry read(GuestPath path, ByteSink content) {
        FileEntry entry = stat(path);
        return exchange(RequestKind.READ, Requests.path(path), channel -> {
            awaitClose(channel, new Stream(Protocol.CONTENT, Limits.DISK_BYTES_MAX, content), patience.request());
            return entry;
        });
    }

    @Override
    public FileEntry write(GuestPath path, ByteSource content) {
        return exchange(RequestKind.WRITE, recursive(path), channel -> {
            byte[] buffer = new byte[WRITE_BYTES];
            boolean wanted = true;
            int count;
            while (wanted && (count = content.read(buffer)) >= 0) {
                wanted = channel.write(Protocol.CONTENT, buffer, count, patience.request());
            }
            if (wanted) {
                channel.end(Protocol.CONTENT);
            }
            return Outcomes.file(awaitClose(channel, Stream.NONE, patience.request()));
        });
    }

    @Override
    public FileEntry makeDirectory(GuestPath path) {
        return call(RequestKind.MAKE_DIRECTORY, recursive(path), Outcomes::file);
    }

    @Override
    public FileEntry move(GuestPath from, GuestPath to) {
        Fields fields = Fields.builder()
                .text(Tag.PATH, from.value())
                .text(Tag.TARGET_PATH, to.value())
                .build();
        return call(RequestKind.MOVE, fields, Outcomes::file);
    }

    @Override
    public void remove(GuestPath path) {
        call(RequestKind.REMOVE, recursive(path), Function.identity());
    }

    private static Fields recursive(GuestPath path) {
        return Fields.builder()
                .text(Tag.PATH, path.value())
                .flag(Tag.RECURSIVE, true)
                .build();
    }

    @Override
    public void openContext(ContextId context, Language language, GuestPath directory) {
        Fields fields = Fields.builder()
                .text(Tag.CONTEXT, context.value())
                .text(Tag.LANGUAGE, language.word())
                .text(Tag.DIRECTORY, directory.value())
                .build();
        exchange(RequestKind.CONTEXT_OPEN, fields, channel -> awaitClose(channel, Stream.NONE, patience.context()));
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
            call(RequestKind.CONTEXT_CLOSE, fields, Function.identity());
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
        exchange(RequestKind.CONNECT, fields, channel -> {
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

    /// Sends the sandbox's identity, limits and environment; part of the start.
    void configure(Fields fields) {
        call(RequestKind.CONFIGURE, fields, Function.identity());
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

    /// Whether its agent has gone.
    boolean isLost() {
        return connection.isLost();
    }

    @Override
    public void onLost(Consumer<String> action) {
        connection.onLost(action);
    }

    /// What happens on a channel from OPEN to CLOSE.
    private interface Exchange<T> {
        T run(AgentChannel channel) throws InterruptedException;
    }

    /// What the agent may send before CLOSE.
    private record Stream(int number, long bytesMax, ByteSink sink) {
        static final Stream NONE = new Stream(-1, 0, _ -> {});
    }

    /// Opens a channel for a request. Whatever the agent does wrong on it ends its host.
    private <T> T exchange(RequestKind kind, Fields fields, Exchange<T> exchange) {
        try (AgentChannel channel = connection.open(kind, fields, patience.request())) {
            return exchange.run(channel);
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ProtocolException broken) {
            throw condemned(broken);
        } catch (GloveboxException refusal) {
            throw refusal.code() == ErrorCode.BACKEND_LOST ? refusal : named(refusal, fields);
        }
    }

    /// The agent's words never repeat what it was given; a caller wants to read which file it was.
    private static GloveboxException named(GloveboxException refusal, Fields fields) {
        return fields.text(Tag.PATH)
                .map(path -> new GloveboxException(
                        refusal.code(), Outcomes.printable(path) + ": " + refusal.getMessage(), refusal))
                .orElse(refusal);
    }

    private <T> T call(RequestKind kind, Fields fields, Function<Fields, T> answer) {
        return exchange(kind, fields, channel -> answer.apply(awaitClose(channel, Stream.NONE, patience.request())));
    }

    private static Fields awaitClose(AgentChannel channel, Stream content, Duration patience)
            throws InterruptedException {
        long total = 0;
        while (true) {
            Optional<Frame> frame = channel.take(patience);
            if (frame.isEmpty()) {
                throw new ProtocolException("it did not answer in " + patience.toSeconds() + " s");
            }
            if (frame.get().type() == FrameType.CLOSE) {
                Fields close = Fields.decode(frame.get().payload());
                Outcomes.check(close);
                return close;
            }
            int stream = frame.get().stream();
            byte[] bytes = frame.get().payload();
            if (stream != content.number()) {
                throw new ProtocolException("this request has no stream " + stream);
            }
            total += bytes.length;
            if (total > content.bytesMax()) {
                throw new GloveboxException(
                        ErrorCode.TOO_LARGE,
                        "the answer is longer than " + content.bytesMax() + " bytes: ask for it in parts");
            }
            content.sink().write(bytes);
            channel.consumed(stream, bytes.length);
        }
    }

    private GloveboxException condemned(ProtocolException broken) {
        host.condemn(broken.getMessage());
        return new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + broken.getMessage(), broken);
    }

    private static GloveboxException interrupted() {
        Thread.currentThread().interrupt();
        return new GloveboxException(ErrorCode.BACKEND_LOST, "the caller went away");
    }

    @Override
    public void close() {
        connection.close();
        // A peer that does not read would otherwise be written to for ever.
        portCalls.forEach(PortCall::breakOff);
        host.released();
    }
}
