package dev.glovebox.wire.e2b;

import dev.glovebox.wire.JsonName;

/// What a sandbox uses, as the sandbox itself tells it; sizes in bytes unless the name says MiB.
///
/// @param time seconds since 1970
/// @param cpuUsedPercent of all its processors together, 0 to 100
public record EnvdMetrics(
        @JsonName("ts") long time,
        @JsonName("cpu_count") int cpuCount,
        @JsonName("cpu_used_pct") double cpuUsedPercent,
        @JsonName("mem_total") long memoryTotal,
        @JsonName("mem_used") long memoryUsed,
        @JsonName("mem_cache") long memoryCache,
        @JsonName("mem_total_mib") long memoryTotalMib,
        @JsonName("mem_used_mib") long memoryUsedMib,
        @JsonName("disk_used") long diskUsed,
        @JsonName("disk_total") long diskTotal) {}
