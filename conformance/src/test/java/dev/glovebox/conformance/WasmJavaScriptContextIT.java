package dev.glovebox.conformance;

class WasmJavaScriptContextIT extends ContextScenarios {
    WasmJavaScriptContextIT(Target target) {
        super(Dialect.WASM_JAVASCRIPT, target);
    }
}
