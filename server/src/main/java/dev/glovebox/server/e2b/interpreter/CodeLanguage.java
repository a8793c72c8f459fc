package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.Language;
import dev.glovebox.core.Tier;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// A language of the code interpreter.
enum CodeLanguage {
    PYTHON("python", Language.PYTHON),
    JAVASCRIPT("javascript", Language.JAVASCRIPT),
    TYPESCRIPT("typescript", Language.TYPESCRIPT),
    /// A shell that lives on between executions; no interpreter of the sandbox's own.
    BASH("bash", null);

    private final String word;
    private final @org.jspecify.annotations.Nullable Language language;

    CodeLanguage(String word, @org.jspecify.annotations.Nullable Language language) {
        this.word = word;
        this.language = language;
    }

    String word() {
        return word;
    }

    /// What contexts of it are opened as; empty for a shell.
    Optional<Language> language() {
        return Optional.ofNullable(language);
    }

    private static final int WORD_CHARS_MAX = 40;

    /// The language of a client's word.
    ///
    /// @throws Refusal 400 if there is none, or the tier has not got it
    static CodeLanguage of(String word, Tier tier) {
        String plain = word.strip().toLowerCase(Locale.ROOT);
        CodeLanguage language = switch (plain) {
            case "python", "python3", "py" -> PYTHON;
            case "javascript", "js" -> JAVASCRIPT;
            case "typescript", "ts" -> TYPESCRIPT;
            case "bash", "sh" -> BASH;
            default ->
                throw new Refusal(
                        400,
                        "the language '" + printable(plain) + "' is not known here; the tier " + tier.word() + " has "
                                + words(tier));
        };
        if (!in(tier).contains(language)) {
            throw new Refusal(400, "the tier " + tier.word() + " has no " + language.word + "; it has " + words(tier));
        }
        return language;
    }

    private static String printable(String word) {
        String cut = word.length() > WORD_CHARS_MAX ? word.substring(0, WORD_CHARS_MAX) + "…" : word;
        return cut.replaceAll("[^A-Za-z0-9 _.+#-]", "?");
    }

    /// Which languages a tier has.
    static List<CodeLanguage> in(Tier tier) {
        return switch (tier) {
            case JAIL, GVISOR, MICROVM -> List.of(values());
            case ISOLATE -> List.of(JAVASCRIPT, TYPESCRIPT);
            case WASM -> List.of(PYTHON, JAVASCRIPT);
            case BROWSER -> List.of(PYTHON);
        };
    }

    private static String words(Tier tier) {
        return in(tier).stream().map(CodeLanguage::word).collect(Collectors.joining(", "));
    }
}
