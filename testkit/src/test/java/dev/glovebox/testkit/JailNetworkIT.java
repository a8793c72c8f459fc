package dev.glovebox.testkit;

import dev.glovebox.core.Tier;

final class JailNetworkIT extends LinuxNetworkSuite {
    @Override
    Tier tier() {
        return Tier.JAIL;
    }
}
