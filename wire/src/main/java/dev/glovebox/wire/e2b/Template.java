package dev.glovebox.wire.e2b;

import dev.glovebox.wire.JsonName;
import java.util.List;

/// A template in a list. Times are RFC 3339.
public record Template(
        String templateID,
        String buildID,
        @JsonName("public") boolean isPublic,
        List<String> aliases,
        List<String> names,
        int cpuCount,
        long memoryMB,
        long diskSizeMB,
        String createdAt,
        String updatedAt,
        String envdVersion,
        String buildStatus,
        long spawnCount,
        int buildCount) {}
