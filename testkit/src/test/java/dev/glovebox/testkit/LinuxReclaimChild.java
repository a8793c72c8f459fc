package dev.glovebox.testkit;

import dev.glovebox.backends.LinuxBackend;
import dev.glovebox.backends.LinuxOptions;
import dev.glovebox.backends.Supervision;
import dev.glovebox.core.Execution;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.core.backend.SandboxHandle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A server that gets killed: holds sandboxes that do not want to end, and starts and ends others all the time. Says
/// `BUSY` and its supervisor's process id whenever they run, and begins again if its supervisor is gone.
///
/// Arguments: the product, the run directory, the tier. Waits for a line before it does anything.
final class LinuxReclaimChild {
    private static final int STUBBORN = 3;

    /// Leaves its session, its parent and its standard streams, and heeds no signal that can be ignored.
    private static final String DAEMONS = """
            trap '' TERM HUP INT QUIT USR1 USR2
            for i in 1 2 3; do (setsid sh -c 'trap "" TERM HUP INT; (setsid sleep 3600 &) ; while :; do sleep 3600; done' \
                </dev/null >/dev/null 2>&1 &) & done
            wait
            echo ready
            sleep 3600
            """;

    private final Supervision supervision;
    private final SandboxBackend backend;
    private final BackendBench bench;

    private LinuxReclaimChild(Path distribution, Path run, Tier tier) {
        this.supervision = new Supervision(distribution, run);
        LinuxOptions options = LinuxOptions.forServer(supervision, distribution, Linux.templates());
        Optional<Path> runsc = tier == Tier.GVISOR ? options.runsc() : Optional.empty();
        this.backend = LinuxBackend.open(
                new LinuxOptions(supervision, options.images(), runsc, Map.of(tier.word(), 1), false));
        this.bench = new BackendBench(backend, tier, GuestPrograms::of);
    }

    public static void main(String[] arguments) throws IOException {
        System.out.println("UP");
        if (System.in.read() < 0) {
            return;
        }
        LinuxReclaimChild child = new LinuxReclaimChild(
                Path.of(arguments[0]),
                Path.of(arguments[1]),
                Tier.ofWord(arguments[2]).orElseThrow());
        Thread.ofVirtual().start(child::churn);
        while (true) {
            child.holdUntilLost();
        }
    }

    private void holdUntilLost() {
        List<BackendBench.Running> held = new ArrayList<>();
        try {
            for (int i = 0; i < STUBBORN; i++) {
                SandboxHandle sandbox = backend.create(request());
                held.add(BackendBench.startBeside(sandbox, bash(DAEMONS)));
                held.getLast().said().awaitStdout("ready");
            }
            System.out.println("BUSY " + supervision.pid());
            held.forEach(BackendBench.Running::await);
        } catch (RuntimeException | AssertionError _) {
            // The supervisor was killed: begin again.
        }
    }

    private void churn() {
        while (true) {
            try (SandboxHandle sandbox = backend.create(request())) {
                BackendBench.run(sandbox, bash("(setsid sleep 3600 &); echo x"));
            } catch (RuntimeException _) {
                // The supervisor was killed: the next one will be there.
            }
        }
    }

    private Requirements request() {
        return bench.request();
    }

    private static Execution.ProcessSpec bash(String script) {
        ResourceLimits limits = ResourceLimits.DEFAULT;
        return new Execution.ProcessSpec(
                List.of("bash", "-c", script), Optional.empty(), Map.of(), GuestPath.HOME, false, limits);
    }
}
