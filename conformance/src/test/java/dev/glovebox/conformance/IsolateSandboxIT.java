package dev.glovebox.conformance;

class IsolateSandboxIT extends SandboxScenarios {
    IsolateSandboxIT(Target target) {
        super(Dialect.ISOLATE_JAVASCRIPT, target);
    }
}
