package dev.glovebox.server;

import dev.glovebox.core.ApiKey;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.Command;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Page;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.Sandbox;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxState;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.StopReason;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.core.egress.NetworkUsage;
import dev.glovebox.core.store.KeyStore;
import dev.glovebox.engine.Gate;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/// A gate without an engine: sandboxes, files and keys in memory, and programs that [FakeScript] understands.
public final class FakeGate implements Gate {
    /// Numbers of processes inside are these and more.
    static final long PID_BASE = 4000;

    private static final int CHUNK = 64 * 1024;

    final Keys keys = new Keys();
    final FakeNetworks network = new FakeNetworks();
    final List<Principal> principals = new CopyOnWriteArrayList<>();
    final AtomicLong interrupted = new AtomicLong();
    final AtomicLong portsOpen = new AtomicLong();
    final AtomicLong bytesWritten = new AtomicLong();
    final AtomicLong contextsInterrupted = new AtomicLong();
    final List<Command.Execute> executed = new CopyOnWriteArrayList<>();
    final List<Execution.ProcessSpec> started = new CopyOnWriteArrayList<>();
    /// Stands still, a second later for every sandbox that is made.
    final Clock clock = new Clock() {
        @Override
        public Instant instant() {
            return Instant.parse("2026-11-30T12:00:00Z").plusSeconds(nextId.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    };

    private final Map<SandboxId, Box> boxes = new ConcurrentHashMap<>();
    private final AtomicLong auditId = new AtomicLong();
    private final AtomicLong nextId = new AtomicLong();

    @Override
    @SuppressWarnings("unchecked")
    public <R> R execute(Principal principal, Command<R> command, ExecutionSink sink) {
        principals.add(principal);
        Command<?> any = command;
        return (R)
                switch (any) {
                    case Command.Run run -> run(run.spec(), sink);
                    case Command.CreateSandbox create -> create(principal, create);
                    case Command.ListSandboxes list -> list(principal, list);
                    case Command.CreateKey create -> keys.create(create);
                    case Command.ListKeys _ -> keys.list();
                    case Command.RevokeKey revoke -> revoke(revoke);
                    case Command.PutSecret put -> network.put(principal, put);
                    case Command.ListSecrets _ -> network.secrets(principal);
                    case Command.RemoveSecret remove -> network.remove(principal, remove);
                    case Command.PutTunnel put -> network.put(put);
                    case Command.ListTunnels list -> network.tunnels(list.tenant());
                    case Command.RemoveTunnel remove -> network.remove(remove);
                    case Command.OnSandbox<?> on -> box(principal, on.sandbox()).execute(on, sink);
                };
    }

    Optional<TenantId> ownerOf(SandboxId id) {
        return Optional.ofNullable(boxes.get(id)).map(box -> box.sandbox.tenant());
    }

    private RunSpec.Report run(RunSpec spec, ExecutionSink sink) {
        FakeScript script = new FakeScript(interrupted, spec.code().content(), spec.input(), sink);
        sink.started(new ProcessId(1));
        Map<GuestPath, byte[]> files = new LinkedHashMap<>();
        var result = script.play();
        spec.fetch().stream()
                .filter(spec.files()::containsKey)
                .forEach(path -> files.put(path, spec.files().get(path)));
        return new RunSpec.Report(
                spec.tier().orElse(Tier.WASM), "the cheapest that can", result, files, auditId.incrementAndGet());
    }

    private Sandbox create(Principal principal, Command.CreateSandbox create) {
        nextId.incrementAndGet();
        Instant now = clock.instant();
        Sandbox sandbox = new Sandbox(
                SandboxId.random(new SecureRandom()),
                principal.tenant(),
                create.spec().tier().orElse(Tier.WASM),
                "asked for",
                create.spec().language(),
                create.spec().template().orElse(""),
                new SandboxState.Running(now),
                now,
                now.plus(create.spec().lease()),
                create.spec().limits(),
                create.spec().metadata());
        boxes.put(
                sandbox.id(),
                new Box(
                        sandbox,
                        FakeNetworks.checked(sandbox.tier(), create.spec().network())));
        return sandbox;
    }

    private Page<Sandbox> list(Principal principal, Command.ListSandboxes list) {
        List<Sandbox> matching = boxes.values().stream()
                .map(box -> box.sandbox)
                .filter(sandbox -> sandbox.tenant().equals(principal.tenant()))
                .filter(sandbox -> sandbox.metadata()
                        .entrySet()
                        .containsAll(list.metadata().entrySet()))
                .sorted((a, b) -> b.createdAt().compareTo(a.createdAt()))
                .toList();
        int from = list.cursor().map(Integer::parseInt).orElse(0);
        int to = Math.min(matching.size(), from + list.pageSize());
        return new Page<>(
                matching.subList(from, to),
                to < matching.size() ? Optional.of(Integer.toString(to)) : Optional.empty());
    }

    private Command.Done revoke(Command.RevokeKey revoke) {
        if (!keys.remove(revoke.id())) {
            throw new GloveboxException(ErrorCode.KEY_NOT_FOUND, "there is no such key");
        }
        return Command.Done.DONE;
    }

    private Box box(Principal principal, SandboxId id) {
        Box box = boxes.get(id);
        if (box == null || !box.sandbox.tenant().equals(principal.tenant())) {
            throw new GloveboxException(ErrorCode.SANDBOX_NOT_FOUND, "there is no such sandbox");
        }
        return box;
    }

    /// One sandbox.
    private final class Box {
        private volatile Sandbox sandbox;
        private volatile NetworkPolicy policy;
        private final Map<GuestPath, byte[]> files =
                new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
        private final Map<ContextId, Command.CodeContext> contexts = new ConcurrentHashMap<>();
        private final Map<ProcessId, FakeScript> processes = new ConcurrentHashMap<>();

        Box(Sandbox sandbox, NetworkPolicy policy) {
            this.sandbox = sandbox;
            this.policy = policy;
        }

        Object execute(Command.OnSandbox<?> command, ExecutionSink sink) {
            return switch (command) {
                case Command.GetSandbox _ -> sandbox;
                case Command.ExtendLease extend -> {
                    sandbox = sandbox.withExpiry(clock.instant().plus(extend.lease()));
                    yield sandbox;
                }
                case Command.ReplaceNetwork replace -> {
                    policy = FakeNetworks.checked(sandbox.tier(), replace.policy());
                    yield Command.Done.DONE;
                }
                case Command.InspectNetwork _ ->
                    new Command.NetworkView(policy, new NetworkUsage(1, 22, 333, 4444, 55_555));
                case Command.KillSandbox _ -> kill();
                case Command.StartProcess start -> start(start, sink);
                case Command.WriteInput write -> writeInput(write);
                case Command.SignalProcess signal -> signal(signal);
                case Command.ListProcesses _ ->
                    processes.keySet().stream()
                            .map(id -> new Command.ProcessEntry(id, "script", sandbox.createdAt()))
                            .toList();
                case Command.StatFile stat -> entry(stat.path());
                case Command.ListDirectory list ->
                    List.copyOf(files.keySet()).stream()
                            .filter(path -> path.value().startsWith(list.path().value()))
                            .map(this::entry)
                            .toList();
                case Command.ReadFile read -> read(read);
                case Command.WriteFile write -> write(write);
                case Command.MakeDirectory make ->
                    new FileEntry(make.path().value(), FileEntry.Type.DIRECTORY, 0, 0755, sandbox.createdAt(), "");
                case Command.MoveFile move -> move(move);
                case Command.RemoveFile remove -> remove(remove);
                case Command.ConnectPort connect -> {
                    portsOpen.incrementAndGet();
                    try {
                        yield FakePorts.connect(connect.port(), connect.peer());
                    } finally {
                        portsOpen.decrementAndGet();
                    }
                }
                case Command.RestartContext restart -> {
                    context(restart.context());
                    yield Command.Done.DONE;
                }
                case Command.ResizeTerminal _, Command.WatchDirectory _ ->
                    throw new GloveboxException(ErrorCode.UNSUPPORTED, "the fake does not do this");
                case Command.MeasureSandbox _ -> new SandboxUsage(Duration.ofMillis(500), 1000, 2000, 10, 20, 1, 2);
                case Command.OpenContext open -> open(open);
                case Command.ListContexts _ -> List.copyOf(contexts.values());
                case Command.Execute execute -> {
                    context(execute.context());
                    sink.running(0);
                    executed.add(execute);
                    yield new FakeScript(
                                    interrupted, execute.code().getBytes(StandardCharsets.UTF_8), new byte[0], sink)
                            .play();
                }
                case Command.InterruptContext interrupt -> {
                    context(interrupt.context());
                    contextsInterrupted.incrementAndGet();
                    yield Command.Done.DONE;
                }
                case Command.CloseContext close -> {
                    context(close.context());
                    contexts.remove(close.context());
                    yield Command.Done.DONE;
                }
            };
        }

        private Command.Done kill() {
            sandbox = sandbox.withState(new SandboxState.Dead(StopReason.KILLED, sandbox.createdAt()));
            boxes.remove(sandbox.id());
            processes.values().forEach(FakeScript::stop);
            return Command.Done.DONE;
        }

        private Object start(Command.StartProcess start, ExecutionSink sink) {
            ProcessId id = new ProcessId(nextId.incrementAndGet());
            started.add(start.spec());
            byte[] code = start.spec()
                    .code()
                    .map(c -> c.content())
                    .orElseGet(() -> String.join(" ", start.spec().arguments()).getBytes(StandardCharsets.UTF_8));
            FakeScript script = new FakeScript(interrupted, code, null, sink);
            processes.put(id, script);
            try {
                sink.started(id);
                sink.running(PID_BASE + id.value());
                return script.play();
            } finally {
                processes.remove(id);
            }
        }

        private Command.Done writeInput(Command.WriteInput write) {
            script(write.process()).feed(write.bytes(), write.end());
            return Command.Done.DONE;
        }

        private Command.Done signal(Command.SignalProcess signal) {
            script(signal.process()).stop();
            return Command.Done.DONE;
        }

        private FakeScript script(ProcessId id) {
            FakeScript script = processes.get(id);
            if (script == null) {
                throw new GloveboxException(ErrorCode.PROCESS_NOT_FOUND, "there is no such process");
            }
            return script;
        }

        private FileEntry entry(GuestPath path) {
            return new FileEntry(
                    path.value(), FileEntry.Type.FILE, content(path).length, 0644, sandbox.createdAt(), "");
        }

        private byte[] content(GuestPath path) {
            byte[] content = files.get(path);
            if (content == null) {
                throw new GloveboxException(ErrorCode.FILE_NOT_FOUND, "there is no such file");
            }
            return content;
        }

        private FileEntry read(Command.ReadFile read) {
            byte[] content = content(read.path());
            int start = (int) Math.min(read.offset(), content.length);
            int end = read.length() < 0 ? content.length : (int) Math.min(content.length, start + read.length());
            for (int from = start; from < end; from += CHUNK) {
                read.content().write(Arrays.copyOfRange(content, from, Math.min(end, from + CHUNK)));
            }
            return entry(read.path());
        }

        private FileEntry write(Command.WriteFile write) {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            byte[] buffer = new byte[CHUNK];
            ByteSource source = write.content();
            for (int count = source.read(buffer); count >= 0; count = source.read(buffer)) {
                content.write(buffer, 0, count);
                bytesWritten.addAndGet(count);
            }
            files.put(write.path(), content.toByteArray());
            return entry(write.path());
        }

        private FileEntry move(Command.MoveFile move) {
            files.put(move.to(), content(move.from()));
            files.remove(move.from());
            return entry(move.to());
        }

        private Command.Done remove(Command.RemoveFile remove) {
            content(remove.path());
            files.remove(remove.path());
            return Command.Done.DONE;
        }

        private Command.CodeContext open(Command.OpenContext open) {
            ContextId id = new ContextId("c" + nextId.incrementAndGet());
            Command.CodeContext context = new Command.CodeContext(id, open.language(), open.directory());
            contexts.put(id, context);
            return context;
        }

        private void context(ContextId id) {
            if (!contexts.containsKey(id)) {
                throw new GloveboxException(ErrorCode.CONTEXT_NOT_FOUND, "there is no such context");
            }
        }
    }

    /// Keys in memory.
    static final class Keys implements KeyStore {
        private final List<ApiKey> all = new CopyOnWriteArrayList<>();
        private final AtomicLong next = new AtomicLong();

        Command.NewKey create(Command.CreateKey create) {
            String secret = "e2b_" + "%040x".formatted(next.incrementAndGet() + 0xabcdef00L);
            ApiKey key = new ApiKey(
                    "key-" + next.get(),
                    dev.glovebox.engine.Keys.hash(secret),
                    create.tenant(),
                    create.role(),
                    create.label(),
                    Instant.EPOCH);
            add(key);
            return new Command.NewKey(key, secret);
        }

        @Override
        public void add(ApiKey key) {
            all.add(key);
        }

        @Override
        public Optional<ApiKey> findByHash(String sha256) {
            return all.stream().filter(key -> key.sha256().equals(sha256)).findFirst();
        }

        @Override
        public List<ApiKey> list() {
            return new ArrayList<>(all);
        }

        @Override
        public boolean remove(String id) {
            return all.removeIf(key -> key.id().equals(id));
        }
    }
}
