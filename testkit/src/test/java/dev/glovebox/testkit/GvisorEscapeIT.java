package dev.glovebox.testkit;

import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.testkit.escape.LinuxEscapeSuite;
import java.util.List;

class GvisorEscapeIT extends LinuxEscapeSuite {
    @Override
    protected SandboxBackend open() {
        return Linux.open();
    }

    @Override
    protected Tier tier() {
        return Tier.GVISOR;
    }

    @Override
    protected List<ProcessHandle> processes(SandboxBackend of) {
        return HostProcesses.of(of);
    }
}
