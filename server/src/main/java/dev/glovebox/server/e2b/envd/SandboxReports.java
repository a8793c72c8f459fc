package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.Execution;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.Tier;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.e2b.EnvdMetrics;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `/metrics`: what the sandbox uses; `/envs`: the environment of its programs.
final class SandboxReports {
    /// Over how long the use of processors is looked at.
    private static final long LOOK_MILLIS = 100;

    private static final int MILLIS = 1000;
    private static final double PERCENT = 100;
    private static final long MIB = 1024L * 1024L;

    private static final Duration LOOK_MAX = Duration.ofSeconds(10);
    private static final int ENVIRONMENT_BYTES_MAX = 512 * 1024;

    private SandboxReports() {}

    /// Asks a program in the sandbox, so that it is what programs there really get.
    static void environment(EnvdCall call) {
        call.requireToken();
        Tier tier = call.target().sandbox().tier();
        ResourceLimits sandbox = call.target().sandbox().made().limits();
        ResourceLimits limits = new ResourceLimits(
                LOOK_MAX,
                LOOK_MAX,
                sandbox.memoryBytes(),
                ENVIRONMENT_BYTES_MAX,
                sandbox.diskBytes(),
                sandbox.fileCount());
        Execution.ProcessSpec spec =
                new Execution.ProcessSpec(program(tier), Optional.empty(), Map.of(), GuestPath.HOME, false, limits);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        call.gate()
                .execute(
                        call.target().principal(),
                        new Command.StartProcess(call.target().id(), spec),
                        new Stdout(said));
        Map<String, String> environment = new LinkedHashMap<>();
        for (String variable : said.toString(StandardCharsets.UTF_8).strip().split("\0", -1)) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        call.json(200, RecordJson.write(environment));
    }

    private static List<String> program(Tier tier) {
        return switch (tier) {
            case JAIL, GVISOR, MICROVM -> List.of("env", "-0");
            case WASM, BROWSER ->
                List.of(
                        "python",
                        "-c",
                        "import os; print(*(f'{name}={value}' for name, value in os.environ.items()), sep='\\0')");
            case ISOLATE ->
                List.of(
                        "node",
                        "-e",
                        "console.log(Object.entries(process.env).map(([n, v]) => `${n}=${v}`).join('\\0'))");
        };
    }

    private record Stdout(ByteArrayOutputStream said) implements ExecutionSink {
        @Override
        public void stdout(byte[] bytes) {
            said.writeBytes(bytes);
        }

        @Override
        public void stderr(byte[] bytes) {}

        @Override
        public void result(MimeBundle bundle) {}
    }

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
