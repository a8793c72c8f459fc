package dev.glovebox.testkit;

import dev.glovebox.core.Tier;

class GvisorConformanceIT extends LinuxConformance {
    @Override
    protected Tier tier() {
        return Tier.GVISOR;
    }
}
