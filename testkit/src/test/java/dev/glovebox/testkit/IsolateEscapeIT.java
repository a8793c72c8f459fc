package dev.glovebox.testkit;

import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.SandboxBackend;
import dev.glovebox.testkit.escape.EscapeSuite;

class IsolateEscapeIT extends EscapeSuite {
    @Override
    protected SandboxBackend open() {
        return Cells.open();
    }

    @Override
    protected Tier tier() {
        return Tier.ISOLATE;
    }
}
