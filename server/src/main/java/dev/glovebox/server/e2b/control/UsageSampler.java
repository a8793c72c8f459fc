package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Command;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.engine.Gate;
import dev.glovebox.server.e2b.E2bSandbox;
import dev.glovebox.server.e2b.E2bSandboxes;
import dev.glovebox.server.e2b.UsageHistory;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Measures what each sandbox uses, every few seconds. A sandbox that is slow to answer delays no other. To be closed.
public final class UsageSampler implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(UsageSampler.class.getName());

    private final Gate gate;
    private final E2bSandboxes sandboxes;
    private final Clock clock;
    /// Those that are being measured.
    private final Set<E2bSandbox> busy = ConcurrentHashMap.newKeySet();
    private final Thread thread;

    /// Begins to measure.
    public UsageSampler(Gate gate, E2bSandboxes sandboxes, Clock clock) {
        this.gate = gate;
        this.sandboxes = sandboxes;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("usage-sampler").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(UsageHistory.INTERVAL);
                round();
            }
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    /// Measures each sandbox whose time has come.
    private void round() {
        try {
            for (E2bSandbox sandbox : sandboxes.running()) {
                if (sandbox.usage().isDue(clock.instant()) && busy.add(sandbox)) {
                    Thread.ofVirtual().name("usage-sample").start(() -> measure(sandbox));
                }
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "sandboxes could not be measured", e);
        }
    }

    private void measure(E2bSandbox sandbox) {
        try {
            measure(gate, sandbox, clock);
        } catch (GloveboxException _) {
            // It has ended, or its tier does not tell.
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "sandbox " + sandbox.id() + " could not be measured", e);
        } finally {
            busy.remove(sandbox);
        }
    }

    /// Takes one sample.
    static void measure(Gate gate, E2bSandbox sandbox, Clock clock) {
        Principal nobody = new Principal(sandbox.made().tenant(), "glovebox", Principal.Role.TENANT);
        sandbox.usage().add(clock.instant(), gate.execute(nobody, new Command.MeasureSandbox(sandbox.id())));
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
