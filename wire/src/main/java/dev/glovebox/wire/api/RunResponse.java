package dev.glovebox.wire.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What came of a [RunRequest]. When the output was streamed, `stdout`, `stderr` and `results` are empty here.
///
/// @param tierReason why this tier, in words
/// @param stdout as text; bytes that are not UTF-8 are shown as U+FFFD
/// @param stdoutBase64 the exact bytes, only if `stdout` does not show them exactly
/// @param error what the code raised and did not handle
/// @param files those of `fetch` that exist, by path
/// @param auditId the number of this run's intent in the audit log
public record RunResponse(
        String tier,
        String tierReason,
        OutcomeReport outcome,
        String stdout,
        @Nullable String stdoutBase64,
        String stderr,
        @Nullable String stderrBase64,
        List<RichResult> results,
        @Nullable CodeError error,
        Map<String, Content> files,
        UsageReport usage,
        long auditId) {}
