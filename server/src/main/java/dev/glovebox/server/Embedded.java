package dev.glovebox.server;

import dev.glovebox.backends.CellBackend;
import dev.glovebox.backends.CellOptions;
import dev.glovebox.backends.LinuxBackend;
import dev.glovebox.backends.LinuxOptions;
import dev.glovebox.backends.Supervision;
import dev.glovebox.core.Command;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.RunSpec;
import dev.glovebox.core.egress.SecretSource;
import dev.glovebox.engine.EgressAudit;
import dev.glovebox.engine.Engine;
import dev.glovebox.engine.EngineObserver;
import dev.glovebox.engine.Gate;
import dev.glovebox.engine.Policies;
import dev.glovebox.engine.SandboxOwners;
import dev.glovebox.sdk.ApiException;
import dev.glovebox.sdk.OutputListener;
import dev.glovebox.sdk.RunService;
import dev.glovebox.server.api.CollectedOutput;
import dev.glovebox.server.api.Problems;
import dev.glovebox.server.api.ToCore;
import dev.glovebox.server.api.ToWire;
import dev.glovebox.server.auth.Authenticator;
import dev.glovebox.store.AuditKey;
import dev.glovebox.store.FileAuditLog;
import dev.glovebox.store.MemoryNetworkStore;
import dev.glovebox.store.MemoryStore;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// Runs inside this process, without a server: the same gate, asked by the local administrator. The command
/// line uses it, so it loads nothing of HTTP.
public final class Embedded implements RunService {
    private final Gate gate;
    private final List<AutoCloseable> parts;

    /// Runs through a gate.
    ///
    /// @param parts what the gate stands on, in the order in which they end
    Embedded(Gate gate, List<AutoCloseable> parts) {
        this.gate = gate;
        this.parts = List.copyOf(parts);
    }

    /// Opens a Glovebox for one run: nothing is started that the run does not need, and nothing is kept but the
    /// audit log, which it shares with the server of the same home.
    public static Embedded open(Path path) {
        HomeDirectory home = HomeDirectory.make(path);
        Clock clock = Clock.systemUTC();
        MemoryStore store = new MemoryStore();
        Supervision supervision = new Supervision(HomeDirectory.distribution(), home.run());
        // The cell first: its process starts while this one opens the log.
        CompletableFuture<OutboundNetwork> soon = new CompletableFuture<>();
        CellBackend cells = CellBackend.open(
                CellOptions.forOneRun(HomeDirectory.java(), HomeDirectory.distribution(), home.run(), supervision)
                        .withNetworks((sandbox, grant) -> soon.join().openDialed(sandbox, grant)));
        try {
            FileAuditLog audit = FileAuditLog.open(home.audit(), new AuditKey(home.path()), clock);
            // Secrets and tunnels are a server's: a run without one has neither.
            MemoryNetworkStore kept = new MemoryNetworkStore();
            Engine.Network networks = new Engine.Network(new SandboxOwners(), kept.tunnels(), kept.secrets());
            EgressAudit egressAudit = new EgressAudit(audit, networks.owners(), clock, _ -> {});
            OutboundNetwork outbound = new OutboundNetwork(SecretSource.NONE, egressAudit, clock);
            soon.complete(outbound);
            LinuxBackend linux = LinuxBackend.open(
                    LinuxOptions.forOneRun(supervision, HomeDirectory.distribution(), home.templates())
                            .withPorts(outbound));
            Engine engine = new Engine(new Engine.Options(
                    List.of(cells, linux),
                    store,
                    store,
                    networks,
                    audit,
                    Policies.local(),
                    EngineObserver.NONE,
                    clock,
                    new SecureRandom()));
            return new Embedded(engine, List.of(engine, outbound, egressAudit, supervision, audit));
        } catch (RuntimeException e) {
            cells.close();
            throw told(e);
        }
    }

    @Override
    public RunResponse run(RunRequest request) {
        CollectedOutput output = new CollectedOutput();
        return run(request, output, output);
    }

    @Override
    public RunResponse run(RunRequest request, OutputListener listener) {
        return run(request, new ListenerSink(listener), new CollectedOutput());
    }

    private RunResponse run(RunRequest request, ExecutionSink sink, CollectedOutput output) {
        try {
            RunSpec spec = ToCore.run(request);
            return ToWire.run(gate.execute(Authenticator.LOCAL, new Command.Run(spec), sink), output);
        } catch (RuntimeException e) {
            throw told(e);
        }
    }

    private static ApiException told(RuntimeException failure) {
        ApiException told = new ApiException(Problems.of(failure));
        told.initCause(failure);
        return told;
    }

    @Override
    public void close() {
        parts.forEach(Lifetime::closeQuietly);
    }

    private record ListenerSink(OutputListener listener) implements ExecutionSink {
        @Override
        public void stdout(byte[] bytes) {
            listener.stdout(bytes);
        }

        @Override
        public void stderr(byte[] bytes) {
            listener.stderr(bytes);
        }

        @Override
        public void result(MimeBundle bundle) {
            listener.result(ToWire.result(bundle));
        }
    }
}
