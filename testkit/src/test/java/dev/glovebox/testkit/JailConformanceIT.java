package dev.glovebox.testkit;

import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import java.util.Set;

class JailConformanceIT extends BackendConformance {
    @Override
    protected SandboxBackend open() {
        return Linux.open();
    }

    @Override
    protected Tier tier() {
        return Tier.JAIL;
    }

    @Override
    protected Set<Capability> lacking() {
        return Linux.lacking();
    }

    @Override
    protected void lose(SandboxBackend of, Requirements sandbox) {
        Linux.lose(of);
    }
}
