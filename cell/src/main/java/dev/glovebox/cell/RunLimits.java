package dev.glovebox.cell;

import dev.glovebox.core.ResourceLimits;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;

/// Reads limits from fields.
final class RunLimits {
    private RunLimits() {}

    /// The limits that `fields` names, and `otherwise` for those that it does not.
    ///
    /// @throws dev.glovebox.core.GloveboxException if one is outside the product's bounds
    static ResourceLimits read(Fields fields, ResourceLimits otherwise) {
        return new ResourceLimits(
                Duration.ofMillis(
                        fields.number(Tag.WALL_MILLIS, otherwise.wallTime().toMillis())),
                Duration.ofMillis(
                        fields.number(Tag.CPU_MILLIS, otherwise.cpuTime().toMillis())),
                fields.number(Tag.MEMORY_BYTES, otherwise.memoryBytes()),
                fields.number(Tag.OUTPUT_BYTES, otherwise.outputBytes()),
                fields.number(Tag.DISK_BYTES, otherwise.diskBytes()),
                (int) Math.min(Integer.MAX_VALUE, fields.number(Tag.FILE_COUNT, otherwise.fileCount())));
    }
}
