package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// How a process or an execution ended.
///
/// @param word `exited`, `timed_out`, `out_of_memory`, `killed_by_policy`, `killed`, `backend_lost`
/// @param exitStatus what a shell would show
/// @param sentence for people
/// @param limitMillis the limit that ended it, if that was a time
/// @param clock `wall` or `cpu`, with `limitMillis`
/// @param limitBytes the limit that ended it, if that was memory
/// @param rule the rule that ended it, if that was a policy
public record OutcomeReport(
        String word,
        int exitStatus,
        String sentence,
        @Nullable Long limitMillis,
        @Nullable String clock,
        @Nullable Long limitBytes,
        @Nullable String rule) {}
