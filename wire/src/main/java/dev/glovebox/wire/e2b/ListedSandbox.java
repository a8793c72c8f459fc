package dev.glovebox.wire.e2b;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A sandbox in a list. Times are RFC 3339.
///
/// @param state `running` or `paused`
public record ListedSandbox(
        String sandboxID,
        String templateID,
        @Nullable String alias,
        String clientID,
        String startedAt,
        String endAt,
        int cpuCount,
        long memoryMB,
        long diskSizeMB,
        Map<String, String> metadata,
        String state,
        String envdVersion,
        List<Object> volumeMounts) {}
