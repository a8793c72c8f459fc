package dev.glovebox.conformance;

class WasmPythonRunIT extends RunScenarios {
    WasmPythonRunIT(Target target) {
        super(Dialect.WASM_PYTHON, target);
    }
}
