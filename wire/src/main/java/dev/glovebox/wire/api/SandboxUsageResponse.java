package dev.glovebox.wire.api;

/// What a sandbox uses now, and its limits.
///
/// @param cpuMicros processor time of all guest code so far
public record SandboxUsageResponse(
        long cpuMicros,
        long memoryBytes,
        long memoryBytesMax,
        long diskBytes,
        long diskBytesMax,
        long fileCount,
        long fileCountMax) {}
