package dev.glovebox.server.e2b.traffic;

import dev.glovebox.core.Principal;
import dev.glovebox.core.SandboxId;
import dev.glovebox.server.e2b.E2bSandbox;

/// The sandbox and the port that a request is for. The sandbox ran a moment ago.
public record SandboxTarget(E2bSandbox sandbox, int port) {
    public SandboxId id() {
        return sandbox.id();
    }

    /// In whose name the gate is asked, once the caller has proved himself.
    public Principal principal() {
        return sandbox.principal();
    }
}
