package dev.glovebox.testkit;

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
import dev.glovebox.core.Outcome;
import dev.glovebox.core.PortPeer;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.TerminalSize;
import dev.glovebox.core.WatchSink;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxHandle;
import dev.glovebox.core.egress.NetworkGrant;
import dev.glovebox.core.egress.NetworkUsage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A sandbox of [FakeBackend]. Thread-safe.
public final class FakeSandbox implements SandboxHandle {
    private static final int SIGNAL_INTERRUPT = 2;

    private final FakeBackend backend;
    private final Requirements requirements;
    private volatile NetworkGrant network;
    private final FakeFiles files;
    private final FakePorts ports = new FakePorts();
    private final Map<ProcessId, FakeRun> processes = new ConcurrentHashMap<>();
    private final Map<ContextId, Context> contexts = new ConcurrentHashMap<>();
    private final Set<FakeRun> runs = ConcurrentHashMap.newKeySet();
    private final Object lock = new Object();
    private @Nullable String gone;
    private boolean lost;
    private @Nullable Consumer<String> onLost;

    private record Context(GuestPath directory, Map<String, String> globals, ReentrantLock turn) {}

    FakeSandbox(FakeBackend backend, Requirements requirements) {
        this.backend = backend;
        this.requirements = requirements;
        this.network = requirements.network();
        this.files = new FakeFiles(requirements.limits());
    }

    public Requirements requirements() {
        return requirements;
    }

    /// Whether it has ended.
    public boolean isGone() {
        synchronized (lock) {
            return gone != null;
        }
    }

    private void check() {
        synchronized (lock) {
            if (gone != null) {
                throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + gone);
            }
        }
    }

    private void checkRuns(Language language) {
        if (!backend.runs(requirements.tier(), language)) {
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED, "tier " + requirements.tier().word() + " does not run " + language.word());
        }
    }

    @Override
    public Execution.Result start(ProcessId process, Execution.ProcessSpec spec, ExecutionSink sink) {
        check();
        backend.pass("start");
        Execution.Code code = spec.code()
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.UNSUPPORTED, "tier " + requirements.tier().word() + " starts no programs by name"));
        checkRuns(code.language());
        Map<String, String> environment = new HashMap<>(requirements.environment());
        environment.putAll(spec.environment());
        List<String> arguments = spec.arguments().isEmpty() ? List.of(code.fileName()) : spec.arguments();
        FakeRun run = new FakeRun(
                new FakeRun.Surroundings(
                        arguments, environment, spec.directory(), files, ports, spec.limits(), new HashMap<>()),
                spec.takesInput(),
                sink);
        processes.put(process, run);
        try {
            sink.started(process);
            return run(run, new String(code.content(), StandardCharsets.UTF_8));
        } finally {
            processes.remove(process);
        }
    }

    private Execution.Result run(FakeRun run, String code) {
        runs.add(run);
        try {
            synchronized (lock) {
                if (gone != null) {
                    run.end(new Outcome.BackendLost(gone));
                }
            }
            return run.run(code);
        } finally {
            runs.remove(run);
        }
    }

    private FakeRun running(ProcessId process) {
        check();
        FakeRun run = processes.get(process);
        if (run == null) {
            throw new GloveboxException(ErrorCode.PROCESS_NOT_FOUND, "process " + process + " does not run");
        }
        return run;
    }

    @Override
    public void writeInput(ProcessId process, byte[] bytes, boolean end) {
        running(process).input(bytes, end);
    }

    @Override
    public void signal(ProcessId process, int signal) {
        FakeRun run = running(process);
        if (signal == SIGNAL_INTERRUPT) {
            run.interrupt();
        } else {
            run.end(new Outcome.Killed("signal " + signal));
        }
    }

    @Override
    public void resize(ProcessId process, TerminalSize size) {
        running(process);
        throw new GloveboxException(ErrorCode.UNSUPPORTED, "process " + process + " has no terminal to resize");
    }

    @Override
    public FileEntry stat(GuestPath path, FileAccess access) {
        check();
        return files.stat(path);
    }

    @Override
    public List<FileEntry> list(GuestPath path, FileAccess access, int depth) {
        check();
        return files.list(path, depth);
    }

    @Override
    public FileEntry read(GuestPath path, FileAccess access, long offset, long length, ByteSink content) {
        check();
        byte[] all = files.read(path);
        int from = (int) Math.min(offset, all.length);
        int to = length < 0 ? all.length : (int) Math.min(from + length, all.length);
        content.write(Arrays.copyOfRange(all, from, to));
        return files.stat(path);
    }

    @Override
    public FileEntry write(GuestPath path, FileAccess access, Map<String, String> attributes, ByteSource content) {
        check();
        if (!attributes.isEmpty()) {
            throw new GloveboxException(ErrorCode.UNSUPPORTED, "this tier has no extended attributes");
        }
        return files.write(path, FakeRun.drain(content));
    }

    @Override
    public FileEntry makeDirectory(GuestPath path, FileAccess access) {
        check();
        return files.makeDirectory(path);
    }

    @Override
    public FileEntry move(GuestPath from, FileAccess access, GuestPath to) {
        check();
        return files.move(from, to);
    }

    @Override
    public void remove(GuestPath path, FileAccess access) {
        check();
        files.remove(path);
    }

    @Override
    public void watch(GuestPath path, FileAccess access, boolean recursive, WatchSink sink) {
        check();
        throw new GloveboxException(ErrorCode.UNSUPPORTED, "this tier does not watch directories");
    }

    @Override
    public void replaceNetwork(NetworkGrant grant) {
        check();
        backend.pass("replaceNetwork");
        network = grant;
    }

    /// The rules that it was given last.
    public NetworkGrant network() {
        return network;
    }

    @Override
    public NetworkUsage networkUsage() {
        check();
        return NetworkUsage.NONE;
    }

    @Override
    public SandboxUsage usage() {
        check();
        return new SandboxUsage(
                Duration.ZERO,
                0,
                requirements.limits().memoryBytes(),
                0,
                requirements.limits().diskBytes(),
                0,
                requirements.limits().fileCount());
    }

    @Override
    public void openContext(ContextId context, Language language, GuestPath directory) {
        check();
        checkRuns(language);
        Context opened = new Context(directory, new ConcurrentHashMap<>(), new ReentrantLock(true));
        if (contexts.putIfAbsent(context, opened) != null) {
            throw new GloveboxException(ErrorCode.ALREADY_EXISTS, "context " + context + " is open");
        }
    }

    private Context context(ContextId id) {
        check();
        Context context = contexts.get(id);
        if (context == null) {
            throw new GloveboxException(ErrorCode.CONTEXT_NOT_FOUND, "there is no context " + id);
        }
        return context;
    }

    private final Map<ContextId, FakeRun> executions = new ConcurrentHashMap<>();

    @Override
    public Execution.Result execute(
            ContextId id, String code, Map<String, String> environment, ResourceLimits limits, ExecutionSink sink) {
        Context context = context(id);
        context.turn().lock();
        try {
            context(id);
            FakeRun run = new FakeRun(
                    new FakeRun.Surroundings(
                            List.of("context"),
                            environment,
                            context.directory(),
                            files,
                            ports,
                            limits,
                            context.globals()),
                    false,
                    sink);
            executions.put(id, run);
            Execution.Result result = run(run, code);
            executions.remove(id, run);
            if (run.isStubborn()) {
                contexts.remove(id);
            }
            return result;
        } finally {
            context.turn().unlock();
        }
    }

    @Override
    public void interrupt(ContextId context) {
        check();
        FakeRun run = executions.get(context);
        if (run != null) {
            run.interrupt();
        }
    }

    @Override
    public void closeContext(ContextId context) {
        context(context);
        contexts.remove(context);
        FakeRun run = executions.get(context);
        if (run != null) {
            run.end(new Outcome.Killed("its context was closed"));
        }
    }

    @Override
    public void connect(int port, PortPeer peer) {
        check();
        ports.connect(port, peer);
        check();
    }

    @Override
    public void onLost(Consumer<String> action) {
        String why;
        synchronized (lock) {
            onLost = action;
            why = lost ? gone : null;
        }
        if (why != null) {
            action.accept(why);
        }
    }

    /// Takes away what it runs in, as a crash would.
    public void lose(String why) {
        Consumer<String> action;
        synchronized (lock) {
            if (gone != null) {
                return;
            }
            gone = why;
            lost = true;
            action = onLost;
        }
        endRuns(why);
        if (action != null) {
            action.accept(why);
        }
    }

    private void endRuns(String why) {
        runs.forEach(run -> run.end(new Outcome.BackendLost(why)));
        ports.breakOff();
    }

    @Override
    public void close() {
        backend.pass("close");
        synchronized (lock) {
            if (gone == null) {
                gone = "it was ended";
            }
        }
        endRuns("it was ended");
        backend.forget(this);
    }
}
