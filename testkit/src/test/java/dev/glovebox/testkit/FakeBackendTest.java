package dev.glovebox.testkit;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import dev.glovebox.core.backend.Capability;
import dev.glovebox.core.backend.Requirements;
import dev.glovebox.core.backend.SandboxBackend;
import java.util.EnumSet;
import java.util.Set;

class FakeBackendTest extends BackendConformance {
    @Override
    protected SandboxBackend open() {
        return new FakeBackend(Tier.WASM);
    }

    @Override
    protected Tier tier() {
        return Tier.WASM;
    }

    @Override
    protected Set<Capability> lacking() {
        return EnumSet.complementOf(EnumSet.copyOf(FakeBackend.CAPABILITIES));
    }

    @Override
    protected GuestPrograms programs(Language language) {
        return FakeBackend.programs(language);
    }

    @Override
    protected void lose(SandboxBackend of, Requirements sandbox) {
        ((FakeBackend) of).sandbox(sandbox.sandbox()).lose("the fake was told to lose it");
    }
}
