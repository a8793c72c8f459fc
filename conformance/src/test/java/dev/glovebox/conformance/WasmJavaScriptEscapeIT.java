package dev.glovebox.conformance;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WasmJavaScriptEscapeIT extends EscapeScenarios {
    private static final List<String> ERRORS = List.of("Error", "TypeError", "ReferenceError", "SyntaxError");

    WasmJavaScriptEscapeIT(Target target) {
        super(Dialect.WASM_JAVASCRIPT, target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc/passwd", "../../../../../../etc/passwd", "/proc/self/environ"})
    void hostFilesAreNotThere(String path) {
        refused("require('fs').readFileSync('" + path + "')", ERRORS, "no such file or directory");
    }

    @Test
    void quickJsOwnDoorsAreShut() {
        prints(
                "console.log(['std', 'os', 'bjson', 'scriptArgs', 'Worker', 'fetch'].filter((n) => n in globalThis).join())",
                "\n");
        refused("await import('std')", ERRORS, "std");
        refused("await import('os')", ERRORS, "os");
        refused("require('child_process')", ERRORS, "child_process");
    }
}
