package dev.glovebox.core.egress;

import dev.glovebox.core.SandboxId;

/// Makes networks for sandboxes that have no sockets of their own (tiers `wasm` and `isolate`): they say by name what
/// they want to connect to. Thread-safe.
@FunctionalInterface
public interface DialedNetworks {
    /// Begins to carry what a sandbox asks for, under rules that can be replaced.
    DialedNetwork openDialed(SandboxId sandbox, NetworkGrant grant);
}
