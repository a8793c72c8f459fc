package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Tier;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The contexts of one sandbox: one for each language, which are there from the beginning and whose interpreters start
/// when they are first used, and those that clients make. Thread-safe.
final class SandboxContexts {
    /// Beyond those that can be open at once, only ids are kept.
    private static final int CONTEXTS_MAX = 64;

    private final Map<CodeLanguage, String> defaults = new EnumMap<>(CodeLanguage.class);
    private final Map<String, CodeContext> contexts = new LinkedHashMap<>();

    SandboxContexts(Tier tier) {
        for (CodeLanguage language : List.of(CodeLanguage.PYTHON, CodeLanguage.JAVASCRIPT)) {
            if (CodeLanguage.in(tier).contains(language)) {
                ofLanguage(language);
            }
        }
    }

    /// The default context of a language.
    synchronized CodeContext ofLanguage(CodeLanguage language) {
        CodeContext known = contexts.get(defaults.getOrDefault(language, ""));
        if (known != null) {
            return known;
        }
        CodeContext made = make(language, GuestPath.HOME);
        defaults.put(language, made.id());
        return made;
    }

    /// Another context.
    synchronized CodeContext make(CodeLanguage language, GuestPath directory) {
        if (contexts.size() >= CONTEXTS_MAX) {
            throw new Refusal(429, "the sandbox has " + contexts.size() + " contexts, the bound: remove one");
        }
        String id = UUID.randomUUID().toString();
        Kernel kernel = language.language()
                .<Kernel>map(own -> new InterpreterKernel(own, directory))
                .orElseGet(() -> new BashKernel(directory));
        CodeContext context = new CodeContext(id, language, directory, kernel);
        contexts.put(id, context);
        return context;
    }

    synchronized CodeContext find(String id) {
        return Optional.ofNullable(contexts.get(id))
                .orElseThrow(() -> new Refusal(404, "Context " + printable(id) + " not found"));
    }

    synchronized CodeContext remove(String id) {
        CodeContext removed = find(id);
        contexts.remove(id);
        return removed;
    }

    synchronized List<CodeContext> all() {
        return new ArrayList<>(contexts.values());
    }

    private static String printable(String id) {
        return id.length() <= 64 && id.matches("[A-Za-z0-9_-]*") ? id : "of this id";
    }
}
