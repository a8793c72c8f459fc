package dev.glovebox.testkit;

import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import java.util.Set;

/// The conformance of a tier whose sandboxes are Linux systems; all of them come from one backend.
abstract class LinuxConformance extends BackendConformance {
    @Override
    protected SandboxBackend open() {
        return Linux.open();
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
