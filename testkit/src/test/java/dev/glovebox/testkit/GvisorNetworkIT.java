package dev.glovebox.testkit;

import dev.glovebox.core.Tier;

final class GvisorNetworkIT extends LinuxNetworkSuite {
    @Override
    Tier tier() {
        return Tier.GVISOR;
    }
}
