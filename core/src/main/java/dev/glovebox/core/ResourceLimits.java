package dev.glovebox.core;

import java.time.Duration;

/// The limits of one sandbox or one run. Every one is finite. Constructed values are inside the product's own bounds
/// ([Limits]); outside them the constructor refuses with the bound in the text, and nothing is clamped in silence.
///
/// @param wallTime how long one process or execution may take
/// @param cpuTime processor time of one process or execution
/// @param memoryBytes memory of the guest: the module's linear memory, or V8's heap and buffers together
/// @param outputBytes stdout, stderr and results of one process or execution, together
/// @param diskBytes content of the sandbox's file system
/// @param fileCount files, directories and links in it
public record ResourceLimits(
        Duration wallTime, Duration cpuTime, long memoryBytes, long outputBytes, long diskBytes, int fileCount) {

    public static final ResourceLimits DEFAULT = new ResourceLimits(
            Limits.WALL_TIME_DEFAULT,
            Limits.CPU_TIME_DEFAULT,
            Limits.MEMORY_BYTES_DEFAULT,
            Limits.OUTPUT_BYTES_DEFAULT,
            Limits.DISK_BYTES_DEFAULT,
            Limits.FILE_COUNT_DEFAULT);

    public ResourceLimits {
        within("wall time in ms", wallTime.toMillis(), 1, Limits.WALL_TIME_MAX.toMillis());
        within("cpu time in ms", cpuTime.toMillis(), 1, Limits.CPU_TIME_MAX.toMillis());
        within("memory in bytes", memoryBytes, Limits.MEMORY_BYTES_MIN, Limits.MEMORY_BYTES_MAX);
        within("output in bytes", outputBytes, 0, Limits.OUTPUT_BYTES_MAX);
        within("disk in bytes", diskBytes, 0, Limits.DISK_BYTES_MAX);
        within("file count", fileCount, 1, Limits.FILE_COUNT_MAX);
    }

    private static void within(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "limit " + what + " is " + value + ", which is outside " + min + ".." + max);
        }
    }
}
