package dev.glovebox.engine;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.audit.AuditLog;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.store.KeyStore;
import dev.glovebox.core.store.SandboxStore;
import dev.glovebox.core.store.SecretStore;
import dev.glovebox.core.store.TunnelStore;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/// The gate's one implementation. For every command, in this order: authorise, decide, record the intent, act, record
/// the outcome. What acting means is in [SandboxActions], [InsideActions] and [RunAction]; that there is no other way
/// to them is what this class is for. Thread-safe.
public final class Engine implements Gate, AutoCloseable {
    private final Parts parts;
    private final SandboxActions sandboxes;
    private final InsideActions inside;
    private final RunAction run;
    private final NetworkActions network;
    private final AtomicBoolean closed = new AtomicBoolean();

    /// What an engine is made of.
    ///
    /// @param random cryptographically strong
    public record Options(
            List<SandboxBackend> backends,
            SandboxStore sandboxes,
            KeyStore keys,
            Network network,
            AuditLog audit,
            Policies policies,
            EngineObserver observer,
            Clock clock,
            RandomGenerator random) {
        public Options {
            backends = List.copyOf(backends);
        }
    }

    /// What the networks of sandboxes stand on.
    ///
    /// @param owners filled here, and read by what knows sandboxes only
    public record Network(SandboxOwners owners, TunnelStore tunnels, SecretStore secrets) {}

    /// What the actions share.
    record Parts(
            Backends backends,
            SandboxStore store,
            KeyStore keyStore,
            Keys keys,
            Network network,
            AuditTrail audit,
            Policies policies,
            Quotas quotas,
            EngineObserver observer,
            Clock clock,
            RandomGenerator random) {}

    public Engine(Options options) {
        this.parts = new Parts(
                new Backends(options.backends()),
                options.sandboxes(),
                options.keys(),
                new Keys(options.keys(), options.random(), options.clock()),
                options.network(),
                new AuditTrail(options.audit(), options.clock()),
                options.policies(),
                new Quotas(),
                options.observer(),
                options.clock(),
                options.random());
        this.sandboxes = new SandboxActions(parts);
        this.inside = new InsideActions(parts, sandboxes);
        this.network = new NetworkActions(parts, sandboxes);
        this.run = new RunAction(parts, network);
    }

    /// Settles what an earlier server left behind. To be called once, before the first command.
    public void reclaim() {
        sandboxes.reclaim();
    }

    /// How many sandboxes run now.
    public int sandboxesRunning() {
        return parts.quotas().sandboxesOfAll();
    }

    /// Whose a sandbox is, for requests that prove themselves by a token of that sandbox instead of a key.
    ///
    /// @return empty if it does not run
    public Optional<TenantId> ownerOf(SandboxId sandbox) {
        return sandboxes.ownerOf(sandbox);
    }

    @Override
    public <R> R execute(Principal principal, Command<R> command, ExecutionSink sink) {
        admit(principal, command);
        long intent = parts.audit().intent(principal, command);
        try {
            R answer = act(principal, command, sink, intent);
            parts.audit().outcome(principal, command, intent, answer);
            return answer;
        } catch (RuntimeException | Error failure) {
            parts.audit().failure(principal, command, intent, failure);
            parts.observer().refused(codeOf(failure));
            throw failure;
        }
    }

    /// Authorises and decides. A refusal is recorded and has no effect.
    private void admit(Principal principal, Command<?> command) {
        try {
            if (closed.get()) {
                throw new GloveboxException(ErrorCode.OVERLOADED, "this server is stopping: try again when it is back");
            }
            Admission.check(principal, command, parts.policies().of(principal.tenant()));
            if (command instanceof Command.OnSandbox<?> onSandbox) {
                sandboxes.checkVisible(principal.tenant(), onSandbox.sandbox());
            }
        } catch (GloveboxException refusal) {
            parts.audit().refusal(principal, command, refusal);
            parts.observer().refused(refusal.code());
            throw refusal;
        }
    }

    /// One line per command. The cast is sound: each arm returns what its command's type parameter says, which the
    /// compiler cannot see through a switch over the wildcard.
    @SuppressWarnings("unchecked")
    private <R> R act(Principal principal, Command<R> command, ExecutionSink sink, long intent) {
        TenantId tenant = principal.tenant();
        Command<?> any = command;
        return (R)
                switch (any) {
                    case Command.Run c -> run.run(tenant, c.spec(), sink, intent);
                    case Command.CreateSandbox c -> sandboxes.create(principal, c.spec());
                    case Command.GetSandbox c -> sandboxes.get(c.sandbox());
                    case Command.ListSandboxes c -> parts.store().list(tenant, c.metadata(), c.pageSize(), c.cursor());
                    case Command.ExtendLease c -> sandboxes.extend(c.sandbox(), c.lease());
                    case Command.KillSandbox c -> sandboxes.kill(c.sandbox());
                    case Command.StartProcess c -> inside.start(c, sink);
                    case Command.WriteInput c -> inside.writeInput(c);
                    case Command.SignalProcess c -> inside.signal(c);
                    case Command.ListProcesses c -> inside.processes(c);
                    case Command.ResizeTerminal c -> inside.resize(c);
                    case Command.MeasureSandbox c -> inside.handle(c).usage();
                    case Command.StatFile c -> inside.handle(c).stat(c.path(), c.access());
                    case Command.ListDirectory c -> inside.handle(c).list(c.path(), c.access(), c.depth());
                    case Command.ReadFile c ->
                        inside.handle(c).read(c.path(), c.access(), c.offset(), c.length(), c.content());
                    case Command.WriteFile c ->
                        inside.handle(c).write(c.path(), c.access(), c.attributes(), c.content());
                    case Command.MakeDirectory c -> inside.handle(c).makeDirectory(c.path(), c.access());
                    case Command.MoveFile c -> inside.handle(c).move(c.from(), c.access(), c.to());
                    case Command.RemoveFile c -> inside.remove(c);
                    case Command.WatchDirectory c -> inside.watch(c);
                    case Command.OpenContext c -> inside.openContext(c);
                    case Command.ListContexts c -> inside.contexts(c);
                    case Command.Execute c -> inside.execute(c, sink);
                    case Command.RestartContext c -> inside.restartContext(c);
                    case Command.InterruptContext c -> inside.interrupt(c);
                    case Command.CloseContext c -> inside.closeContext(c);
                    case Command.ConnectPort c -> inside.connect(c);
                    case Command.ReplaceNetwork c -> network.replace(tenant, c);
                    case Command.InspectNetwork c -> network.inspect(c);
                    case Command.PutSecret c -> network.putSecret(principal, c);
                    case Command.ListSecrets _ -> parts.network().secrets().list(tenant);
                    case Command.RemoveSecret c -> network.removeSecret(tenant, c);
                    case Command.PutTunnel c -> network.putTunnel(c);
                    case Command.ListTunnels c -> parts.network().tunnels().list(c.tenant());
                    case Command.RemoveTunnel c -> network.removeTunnel(c);
                    case Command.CreateKey c -> parts.keys().create(c.tenant(), c.role(), c.label());
                    case Command.ListKeys _ -> parts.keyStore().list();
                    case Command.RevokeKey c -> {
                        parts.keys().revoke(c.id());
                        yield Command.Done.DONE;
                    }
                };
    }

    private static ErrorCode codeOf(Throwable failure) {
        return failure instanceof GloveboxException refusal ? refusal.code() : ErrorCode.INTERNAL;
    }

    /// Ends every sandbox, then the backends. Commands that come later are refused; those under way end as their
    /// sandboxes do.
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                sandboxes.close();
                run.awaitWiped();
            } finally {
                parts.backends().close();
            }
        }
    }
}
