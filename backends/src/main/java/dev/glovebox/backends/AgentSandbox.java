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
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// A sandbox whose agent speaks the agent protocol: the same for every tier. Thread-safe.
final class AgentSandbox implements SandboxHandle {
    private static final int WRITE_BYTES = Protocol.PAYLOAD_BYTES_MAX;
    /// How long an agent may take for a request that runs no guest code.
    private static final Duration REQUEST_MAX = Duration.ofSeconds(30);
    /// SIGINT, as Linux numbers it.
    private static final int SIGNAL_INTERRUPT = 2;

    private final AgentConnection connection;
    private final Host host;
    private final Map<ProcessId, AgentChannel> processes = new ConcurrentHashMap<>();
    private final Map<ContextId, AgentChannel> executions = new ConcurrentHashMap<>();

    /// What hosts the sandbox.
    interface Host {
        /// The sandbox is ended and its connection closed.
        void released();

        /// Its agent does not keep its promises: end whatever hosts it.
        void condemn(String why);
    }

    AgentSandbox(AgentConnection connection, Host host) {
        this.connection = connection;
        this.host = host;
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
        try (AgentChannel channel = open(RequestKind.PROCESS, fields.build())) {
            processes.put(process, channel);
            sink.started(process);
            return follow(new ExecutionCall(channel, spec.limits(), sink, () -> {}), channel);
        } finally {
            processes.remove(process);
        }
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
        try (AgentChannel channel = open(RequestKind.EXECUTE, fields.build())) {
            // Executions of one context queue in the agent; an interrupt is for the one that runs.
            Runnable onStarted = () -> executions.put(context, channel);
            try {
                return follow(new ExecutionCall(channel, limits, sink, onStarted), channel);
            } finally {
                executions.remove(context, channel);
            }
        }
    }

    private Execution.Result follow(ExecutionCall call, AgentChannel channel) {
        try {
            return call.await();
        } catch (InterruptedException _) {
            channel.cancel();
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
            channel.write(Protocol.STDIN, bytes, bytes.length);
            if (end) {
                channel.end(Protocol.STDIN);
            }
        } catch (InterruptedException _) {
            throw interrupted();
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
        return Outcomes.file(call(RequestKind.STAT, Requests.path(path)));
    }

    @Override
    public List<FileEntry> list(GuestPath path, int depth) {
        List<FileEntry> entries = new ArrayList<>();
        RecordReader records = new RecordReader(64 * 1024);
        Fields fields = Fields.builder()
                .text(Tag.PATH, path.value())
                .number(Tag.DEPTH, depth)
                .build();
        call(
                RequestKind.LIST,
                fields,
                bytes -> records.read(bytes, entry -> {
                    if (entries.size() >= Limits.FILE_COUNT_MAX) {
                        throw new ProtocolException("a directory cannot have more entries than a sandbox files");
                    }
                    entries.add(Outcomes.file(entry));
                }));
        return entries;
    }

    @Override
    public FileEntry read(GuestPath path, ByteSink content) {
        FileEntry entry = stat(path);
        call(RequestKind.READ, Requests.path(path), content);
        return entry;
    }

    @Override
    public FileEntry write(GuestPath path, ByteSource content) {
        Fields fields = Fields.builder()
                .text(Tag.PATH, path.value())
                .flag(Tag.RECURSIVE, true)
                .build();
        try (AgentChannel channel = open(RequestKind.WRITE, fields)) {
            byte[] buffer = new byte[WRITE_BYTES];
            int count;
            while ((count = content.read(buffer)) >= 0) {
                channel.write(Protocol.CONTENT, buffer, count);
            }
            channel.end(Protocol.CONTENT);
            return Outcomes.file(awaitClose(channel, _ -> {}));
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    @Override
    public FileEntry makeDirectory(GuestPath path) {
        Fields fields = Fields.builder()
                .text(Tag.PATH, path.value())
                .flag(Tag.RECURSIVE, true)
                .build();
        return Outcomes.file(call(RequestKind.MAKE_DIRECTORY, fields));
    }

    @Override
    public FileEntry move(GuestPath from, GuestPath to) {
        Fields fields = Fields.builder()
                .text(Tag.PATH, from.value())
                .text(Tag.TARGET_PATH, to.value())
                .build();
        return Outcomes.file(call(RequestKind.MOVE, fields));
    }

    @Override
    public void remove(GuestPath path) {
        Fields fields = Fields.builder()
                .text(Tag.PATH, path.value())
                .flag(Tag.RECURSIVE, true)
                .build();
        call(RequestKind.REMOVE, fields);
    }

    @Override
    public void openContext(ContextId context, Language language, GuestPath directory) {
        Fields fields = Fields.builder()
                .text(Tag.CONTEXT, context.value())
                .text(Tag.LANGUAGE, language.word())
                .text(Tag.DIRECTORY, directory.value())
                .build();
        call(RequestKind.CONTEXT_OPEN, fields);
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
        call(
                RequestKind.CONTEXT_CLOSE,
                Fields.builder().text(Tag.CONTEXT, context.value()).build());
    }

    /// Sends the sandbox's identity, limits and environment; part of the start.
    void configure(Fields fields) {
        call(RequestKind.CONFIGURE, fields);
    }

    @Override
    public void onLost(Consumer<String> action) {
        connection.onLost(action);
    }

    private Fields call(RequestKind kind, Fields fields) {
        return call(kind, fields, bytes -> {
            throw new ProtocolException("a " + kind + " request has no content");
        });
    }

    private Fields call(RequestKind kind, Fields fields, ByteSink content) {
        try (AgentChannel channel = open(kind, fields)) {
            return awaitClose(channel, content);
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    private Fields awaitClose(AgentChannel channel, ByteSink content) throws InterruptedException {
        try {
            while (true) {
                Optional<Frame> frame = channel.take(REQUEST_MAX);
                if (frame.isEmpty()) {
                    throw new ProtocolException("the agent did not answer in " + REQUEST_MAX.toSeconds() + " s");
                }
                if (frame.get().type() == FrameType.CLOSE) {
                    Fields close = Fields.decode(frame.get().payload());
                    Outcomes.check(close);
                    return close;
                }
                if (frame.get().type() == FrameType.DATA) {
                    content.write(frame.get().payload());
                    channel.consumed(frame.get().stream(), frame.get().payload().length);
                }
            }
        } catch (ProtocolException broken) {
            host.condemn(broken.getMessage());
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + broken.getMessage(), broken);
        }
    }

    private AgentChannel open(RequestKind kind, Fields fields) {
        try {
            return connection.open(kind, fields);
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    private static GloveboxException interrupted() {
        Thread.currentThread().interrupt();
        return new GloveboxException(ErrorCode.BACKEND_LOST, "the caller went away");
    }

    @Override
    public void close() {
        connection.close();
        host.released();
    }
}
