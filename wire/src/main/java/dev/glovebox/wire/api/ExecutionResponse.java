package dev.glovebox.wire.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// How a command or an execution in a context went. Its parts are those of [RunResponse].
public record ExecutionResponse(
        OutcomeReport outcome,
        String stdout,
        @Nullable String stdoutBase64,
        String stderr,
        @Nullable String stderrBase64,
        List<RichResult> results,
        @Nullable CodeError error,
        UsageReport usage) {}
