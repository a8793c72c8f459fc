package dev.glovebox.wire.e2b;

import dev.glovebox.wire.JsonName;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The body of `PUT /sandboxes/{id}/network`: all rules for what a sandbox may reach, instead of those before.
public record NetworkUpdate(
        @Nullable List<String> allowOut,
        @Nullable List<String> denyOut,
        SandboxNetwork.@Nullable EgressProxy egressProxy,
        @Nullable Map<String, List<SandboxNetwork.HostRule>> rules,
        @JsonName("allow_internet_access") @Nullable Boolean allowInternetAccess) {}
