package dev.glovebox.testkit;

import dev.glovebox.core.Execution;
import dev.glovebox.core.Language;
import java.nio.charset.StandardCharsets;

/// The suites' programs in one language.
public interface GuestPrograms {
    Language language();

    /// A name as files of this language have, for code that is handed in.
    String fileName();

    String code(GuestTask task);

    /// The task as a program.
    default Execution.Code program(GuestTask task) {
        return program(code(task));
    }

    default Execution.Code program(String code) {
        return new Execution.Code(language(), code.getBytes(StandardCharsets.UTF_8), fileName());
    }

    /// The programs that every tier is asked to run.
    static GuestPrograms of(Language language) {
        return switch (language) {
            case PYTHON -> new PythonPrograms();
            case JAVASCRIPT -> new JavaScriptPrograms(Language.JAVASCRIPT, "main.js");
            case TYPESCRIPT -> new JavaScriptPrograms(Language.TYPESCRIPT, "main.ts");
            case WASM -> throw new IllegalArgumentException("modules are no programs of text");
        };
    }
}
