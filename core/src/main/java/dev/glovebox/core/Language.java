package dev.glovebox.core;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// What a piece of code is written in. [#WASM] is a WASI preview 1 module given as bytes.
public enum Language {
    PYTHON("py"),
    JAVASCRIPT("js", "mjs", "cjs"),
    TYPESCRIPT("ts", "mts", "cts"),
    WASM("wasm");

    private final String extensions;

    Language(String... extensions) {
        this.extensions = "," + String.join(",", extensions) + ",";
    }

    /// The word for this language in every interface: the constant's name in lower case.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Finds a language by its [#word()]; empty if there is none of that name.
    public static Optional<Language> ofWord(String word) {
        return Arrays.stream(values())
                .filter(language -> language.word().equals(word))
                .findFirst();
    }

    /// Guesses the language from a file's name by its extension; empty if the extension says nothing.
    public static Optional<Language> ofFileName(String name) {
        String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(language -> language.extensions.contains("," + extension + ","))
                .findFirst();
    }
}
