package dev.glovebox.wire.api;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Code to execute in a context that keeps its state between calls.
public record ExecuteRequest(
        String code,
        @Nullable Map<String, String> env,
        @Nullable LimitSet limits) {}
