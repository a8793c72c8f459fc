package dev.glovebox.wire.e2b;

import org.jspecify.annotations.Nullable;

/// A process that runs: `process.ProcessInfo`.
public record ProcessInfo(
        ProcessConfig config, long pid, @Nullable String tag) {}
