package dev.glovebox.testkit;

import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import java.util.EnumSet;
import java.util.Set;

class IsolateConformanceIT extends BackendConformance {
    @Override
    protected SandboxBackend open() {
        return Cells.open();
    }

    @Override
    protected Tier tier() {
        return Tier.ISOLATE;
    }

    @Override
    protected Set<Capability> lacking() {
        return EnumSet.of(
                Capability.PYTHON,
                Capability.WASM_MODULES,
                Capability.SHELL,
                Capability.NATIVE_PACKAGES,
                Capability.PTY,
                Capability.USERS,
                Capability.WATCH,
                Capability.PORTS,
                Capability.PAUSE,
                Capability.NETWORK);
    }

    @Override
    protected void lose(SandboxBackend of, Requirements sandbox) {
        Cells.lose(of, sandbox);
    }
}
