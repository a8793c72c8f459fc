package dev.glovebox.wire.e2b;

import org.jspecify.annotations.Nullable;

/// How a process ended: `process.EndEvent`.
///
/// @param exitCode -1 if it did not end by itself
/// @param exited whether it ended by itself
/// @param status as Go words it: `exit status 1`, `signal: killed`
/// @param error why it was ended
public record ProcessEnd(
        int exitCode,
        boolean exited,
        String status,
        @Nullable String error) {}
