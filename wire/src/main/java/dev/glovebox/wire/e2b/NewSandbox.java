package dev.glovebox.wire.e2b;

import dev.glovebox.wire.JsonName;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of `POST /sandboxes` and of `POST /v2/sandboxes`.
///
/// @param templateID name of a template, with a tag or without
/// @param timeout seconds
/// @param secure v1 only: whether the sandbox asks its callers for a token
public record NewSandbox(
        String templateID,
        @Nullable Long timeout,
        @Nullable Map<String, String> metadata,
        @Nullable Map<String, String> envVars,
        @Nullable Boolean secure,
        @JsonName("allow_internet_access") @Nullable Boolean allowInternetAccess,
        @Nullable SandboxNetwork network,
        @Nullable Object iam,
        @Nullable Boolean autoPause,
        @Nullable Boolean autoPauseMemory,
        @Nullable AutoResume autoResume,
        @Nullable List<Object> volumeMounts,
        @Nullable Object mcp) {

    /// Whether a request to a paused sandbox wakes it.
    public record AutoResume(boolean enabled) {}
}
