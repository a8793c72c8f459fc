package dev.glovebox.core;

import java.time.Duration;

/// What a sandbox uses now.
///
/// @param cpuTime processor time of all guest code so far
/// @param memoryBytes held now
/// @param memoryBytesMax its limit
/// @param diskBytes written to its file system
/// @param diskBytesMax the limit
/// @param fileCount files, directories and links there
/// @param fileCountMax the limit
public record SandboxUsage(
        Duration cpuTime,
        long memoryBytes,
        long memoryBytesMax,
        long diskBytes,
        long diskBytesMax,
        long fileCount,
        long fileCountMax) {}
