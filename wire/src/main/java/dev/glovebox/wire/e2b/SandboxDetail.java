package dev.glovebox.wire.e2b;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// All about one sandbox. Times are RFC 3339.
public record SandboxDetail(
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
        @Nullable String envdAccessToken,
        @Nullable String domain,
        boolean allowInternetAccess,
        @Nullable SandboxNetwork network,
        Lifecycle lifecycle,
        List<Object> volumeMounts) {

    /// What happens when its time is over.
    ///
    /// @param onTimeout `kill` or `pause`
    public record Lifecycle(String onTimeout, boolean autoResume) {}

    /// Never the token.
    @Override
    public String toString() {
        return "SandboxDetail[" + sandboxID + "]";
    }
}
