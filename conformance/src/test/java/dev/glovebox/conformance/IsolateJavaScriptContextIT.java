package dev.glovebox.conformance;

class IsolateJavaScriptContextIT extends ContextScenarios {
    IsolateJavaScriptContextIT(Target target) {
        super(Dialect.ISOLATE_JAVASCRIPT, target);
    }
}
