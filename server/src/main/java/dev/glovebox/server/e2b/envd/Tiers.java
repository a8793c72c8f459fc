package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Tier;

/// What of a tier matters here.
final class Tiers {
    private Tiers() {}

    /// Whether sandboxes of a tier are Linux systems, with users and programs.
    static boolean isLinux(Tier tier) {
        return switch (tier) {
            case JAIL, GVISOR, MICROVM -> true;
            case WASM, ISOLATE, BROWSER -> false;
        };
    }
}
