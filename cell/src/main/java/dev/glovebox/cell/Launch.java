package dev.glovebox.cell;

import dev.glovebox.core.Language;
import java.util.List;

/// What a command line asks for: a language, where its program comes from, and the program's own arguments, its
/// name first.
record Launch(Language language, Source source, List<String> arguments) {
    Launch {
        arguments = List.copyOf(arguments);
    }

    /// Where a program comes from.
    sealed interface Source {
        /// The bytes themselves; `fileName` is what tracebacks call them.
        record Given(byte[] code, String fileName) implements Source {}

        /// A file of the sandbox, as written: relative to the working directory.
        record File(String path) implements Source {}

        /// A Python module, as for `python -m`.
        record Module(String name) implements Source {}

        /// All of standard input.
        record StandardInput() implements Source {}
    }
}
