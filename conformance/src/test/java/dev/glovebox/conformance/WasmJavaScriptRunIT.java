package dev.glovebox.conformance;

class WasmJavaScriptRunIT extends RunScenarios {
    WasmJavaScriptRunIT(Target target) {
        super(Dialect.WASM_JAVASCRIPT, target);
    }
}
