package dev.glovebox.wire.e2b;

/// What a sandbox used at one moment; sizes in bytes.
///
/// @param timestamp RFC 3339
/// @param timestampUnix seconds
/// @param cpuUsedPct of all its processors together, 0 to 100
public record SandboxMetric(
        String timestamp,
        long timestampUnix,
        int cpuCount,
        double cpuUsedPct,
        long memUsed,
        long memTotal,
        long memCache,
        long diskUsed,
        long diskTotal) {}
