package dev.glovebox.conformance;

class IsolateTypeScriptContextIT extends ContextScenarios {
    IsolateTypeScriptContextIT(Target target) {
        super(Dialect.ISOLATE_TYPESCRIPT, target);
    }
}
