package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.Limits;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.e2b.EnvdMetrics;

/// `/metrics`: what the sandbox uses.
final class SandboxReports {
    /// Over how long the use of processors is looked at.
    private static final long LOOK_MILLIS = 100;

    private static final int MILLIS = 1000;
    private static final double PERCENT = 100;
    private static final long MIB = 1024L * 1024L;

    private SandboxReports() {}

    static void metrics(EnvdCall call) {
        call.requireToken();
        Command.MeasureSandbox measure =
                new Command.MeasureSandbox(call.target().id());
        SandboxUsage before = call.execute(measure);
        long began = System.nanoTime();
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        SandboxUsage now = call.execute(measure);
        double used = now.cpuTime().minus(before.cpuTime()).toNanos() / (double) Math.max(1, System.nanoTime() - began);
        int processors = Math.max(1, Limits.CPU_SHARE_MILLIS_DEFAULT / MILLIS);
        call.json(
                200,
                RecordJson.write(new EnvdMetrics(
                        call.clock().instant().getEpochSecond(),
                        processors,
                        Math.clamp(Math.round(used / processors * PERCENT * PERCENT) / PERCENT, 0, PERCENT),
                        now.memoryBytesMax(),
                        now.memoryBytes(),
                        0,
                        now.memoryBytesMax() / MIB,
                        now.memoryBytes() / MIB,
                        now.diskBytes(),
                        now.diskBytesMax())));
    }
}
