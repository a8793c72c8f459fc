package dev.glovebox.cli;

import dev.glovebox.wire.api.LimitSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Limits of what runs. A mixin; what is left out is the server's default.
final class LimitOptions {
    @Option(names = "--timeout", paramLabel = "TIME", description = "Time on the wall, such as 500ms, 5s, 2m.")
    private @Nullable String timeout;

    @Option(names = "--cpu-time", paramLabel = "TIME", description = "Time on a processor.")
    private @Nullable String cpuTime;

    @Option(names = "--memory", paramLabel = "SIZE", description = "Memory, such as 64M.")
    private @Nullable String memory;

    @Option(names = "--output", paramLabel = "SIZE", description = "Bytes of output.")
    private @Nullable String output;

    @Option(names = "--disk", paramLabel = "SIZE", description = "Content of the sandbox's files.")
    private @Nullable String disk;

    @Nullable
    LimitSet toWire() {
        if (timeout == null && cpuTime == null && memory == null && output == null && disk == null) {
            return null;
        }
        return new LimitSet(
                timeout == null ? null : Amounts.duration(timeout).toMillis(),
                cpuTime == null ? null : Amounts.duration(cpuTime).toMillis(),
                memory == null ? null : Amounts.bytes(memory),
                output == null ? null : Amounts.bytes(output),
                disk == null ? null : Amounts.bytes(disk),
                null);
    }
}
