package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// Limits of a run or a sandbox. What a request leaves out is the server's default; an answer sets them all.
public record LimitSet(
        @Nullable Long wallMillis,
        @Nullable Long cpuMillis,
        @Nullable Long memoryBytes,
        @Nullable Long outputBytes,
        @Nullable Long diskBytes,
        @Nullable Integer fileCount) {}
