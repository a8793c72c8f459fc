package dev.glovebox.conformance;

class IsolateTypeScriptRunIT extends RunScenarios {
    IsolateTypeScriptRunIT(Target target) {
        super(Dialect.ISOLATE_TYPESCRIPT, target);
    }
}
