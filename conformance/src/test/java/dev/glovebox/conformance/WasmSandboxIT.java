package dev.glovebox.conformance;

class WasmSandboxIT extends SandboxScenarios {
    WasmSandboxIT(Target target) {
        super(Dialect.WASM_PYTHON, target);
    }
}
