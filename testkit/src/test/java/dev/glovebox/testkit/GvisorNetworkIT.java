package dev.glovebox.testkit;

import dev.glovebox.core.Tier;

final class GvisorNetworkIT extends LinuxNetwork {
    @Override
    Tier tier() {
        return Tier.GVISOR;
    }
}
