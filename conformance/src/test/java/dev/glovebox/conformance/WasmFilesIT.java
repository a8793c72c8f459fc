package dev.glovebox.conformance;

class WasmFilesIT extends FilesScenarios {
    WasmFilesIT(Target target) {
        super(Dialect.WASM_PYTHON, target);
    }
}
