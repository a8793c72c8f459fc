package dev.glovebox.wire.e2b;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a sandbox may reach, and who may reach it.
///
/// @param allowOut addresses, ranges and domains
/// @param denyOut addresses and ranges
/// @param allowPublicTraffic whether its ports answer without a token
/// @param maskRequestHost the `Host` that servers inside see; `${PORT}` in it stands for the port
/// @param httpsPorts ports whose servers speak TLS
public record SandboxNetwork(
        @Nullable List<String> allowOut,
        @Nullable List<String> denyOut,
        @Nullable Object egressProxy,
        @Nullable Map<String, Object> rules,
        @Nullable Boolean allowPublicTraffic,
        @Nullable String maskRequestHost,
        @Nullable List<Integer> httpsPorts) {}
