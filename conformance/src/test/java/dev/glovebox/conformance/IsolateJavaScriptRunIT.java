package dev.glovebox.conformance;

class IsolateJavaScriptRunIT extends RunScenarios {
    IsolateJavaScriptRunIT(Target target) {
        super(Dialect.ISOLATE_JAVASCRIPT, target);
    }
}
