package dev.glovebox.conformance;

class WasmPythonContextIT extends ContextScenarios {
    WasmPythonContextIT(Target target) {
        super(Dialect.WASM_PYTHON, target);
    }
}
