package dev.glovebox.wire.api;

import dev.glovebox.wire.JsonName;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a sandbox may reach: a network policy, as a file and in requests. [PolicySchema] describes it for editors.
///
/// @param schema where a file says what it is; not looked at
/// @param description the author's own words; not looked at
/// @param allowOut what is open: addresses, ranges, names, ports
/// @param denyOut addresses and ranges that are closed; left out: everything, so an empty list is what opens
/// @param rules by host: headers that are set on every request to it
/// @param tunnels of the tenant that the sandbox may use
/// @param egressProxy through which everything leaves
public record NetworkRules(
        @JsonName("$schema") @Nullable String schema,
        @Nullable String description,
        @Nullable List<String> allowOut,
        @Nullable List<String> denyOut,
        @Nullable Map<String, List<HostRule>> rules,
        @Nullable List<String> tunnels,
        @Nullable EgressProxy egressProxy,
        @Nullable NetworkLimitSet limits) {

    /// Closed but for these entries.
    public static NetworkRules allowing(List<String> entries) {
        return new NetworkRules(null, null, entries, null, null, null, null, null);
    }

    /// The same with more entries in [#allowOut].
    public NetworkRules allowingToo(List<String> entries) {
        List<String> all = new java.util.ArrayList<>(allowOut == null ? List.of() : allowOut);
        all.addAll(entries);
        return new NetworkRules(schema, description, all, denyOut, rules, tunnels, egressProxy, limits);
    }

    /// What happens to requests to a host.
    public record HostRule(@Nullable Transform transform) {}

    /// What is changed in each.
    ///
    /// @param headers set in place of the guest's own; `${e2b.secrets.NAME}` is filled in outside the sandbox
    public record Transform(@Nullable Map<String, String> headers) {}

    /// A SOCKS5 proxy.
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

    /// How much it may use. What is left out is the server's default.
    ///
    /// @param connections at once
    /// @param bytesPerSecond in each direction; 0 is no bound
    /// @param bytes in the sandbox's life, both directions together; 0 is no bound
    public record NetworkLimitSet(
            @Nullable Integer connections,
            @Nullable Integer connectionsPerSecond,
            @Nullable Long bytesPerSecond,
            @Nullable Long bytes) {}
}
