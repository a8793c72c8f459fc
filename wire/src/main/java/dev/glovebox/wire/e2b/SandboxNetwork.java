package dev.glovebox.wire.e2b;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a sandbox may reach, and who may reach it.
///
/// @param allowOut addresses, ranges and domains
/// @param denyOut addresses and ranges
/// @param rules what happens to requests to single hosts
/// @param allowPublicTraffic whether its ports answer without a token
/// @param maskRequestHost the `Host` that servers inside see; `${PORT}` in it stands for the port
/// @param httpsPorts ports whose servers speak TLS
public record SandboxNetwork(
        @Nullable List<String> allowOut,
        @Nullable List<String> denyOut,
        @Nullable EgressProxy egressProxy,
        @Nullable Map<String, List<HostRule>> rules,
        @Nullable Boolean allowPublicTraffic,
        @Nullable String maskRequestHost,
        @Nullable List<Integer> httpsPorts) {

    /// A SOCKS5 proxy through which everything leaves.
    ///
    /// @param address `host:port`
    /// @param password never in an answer
    public record EgressProxy(
            String address,
            @Nullable String username,
            @Nullable String password) {
        /// Never the password.
        @Override
        public String toString() {
            return "EgressProxy[" + address + "]";
        }
    }

    /// What happens to requests to a host.
    public record HostRule(@Nullable Transform transform) {}

    /// What is changed in each.
    ///
    /// @param headers set in place of the guest's own
    public record Transform(@Nullable Map<String, String> headers) {}
}
