package dev.glovebox.bench;

import dev.glovebox.sdk.Sandbox;
import dev.glovebox.wire.api.ExecutionResponse;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.SandboxRequest;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// One tier of Linux sandboxes under measurement, by the administrator's client.
record LinuxCase(Lab lab, Product product, Linux here, LinuxTarget target, Sheet sheet) {
    /// Other limits than the default, which no sandbox of a pool has: kinds that are wanted twice get a pool.
    private static final long FRESH_MEBIBYTES = 257;

    private static final int FRESH_KINDS = 200;
    private static final AtomicInteger NEXT_FRESH = new AtomicInteger();

    private static final long WALL_MILLIS = 60_000;

    String word() {
        return target.word();
    }

    /// Limits that no sandbox of a pool has; others each time.
    static LimitSet freshLimits() {
        return Runs.memory(FRESH_MEBIBYTES + NEXT_FRESH.getAndIncrement() % FRESH_KINDS, WALL_MILLIS);
    }

    Sandbox create(@Nullable LimitSet limits) {
        return product.client()
                .sandboxes()
                .create(new SandboxRequest(target.word(), "python", null, limits, null, null));
    }

    /// A shell inside the template's root file system, in what is bare for this tier. The caller closes it.
    BareShell bareShell() {
        BareShell shell = new BareShell(here);
        if (target.word().equals("gvisor")) {
            shell.enterGvisor(Guests.gvisorPlatform(product));
        } else {
            shell.enterNamespaces();
        }
        return shell;
    }

    /// Insists on a clean end.
    static ExecutionResponse expectEnd(ExecutionResponse answer) {
        if (!answer.outcome().word().equals("exited") || answer.outcome().exitStatus() != 0) {
            throw new BenchException(
                    "a command ended otherwise: " + answer.outcome().sentence());
        }
        return answer;
    }
}
