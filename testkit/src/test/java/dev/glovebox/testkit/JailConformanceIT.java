package dev.glovebox.testkit;

import dev.glovebox.core.Tier;

class JailConformanceIT extends LinuxConformance {
    @Override
    protected Tier tier() {
        return Tier.JAIL;
    }
}
