package dev.glovebox.core;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How strongly a sandbox is kept apart from the host. The order is the order of strength that `tier: auto` and
/// policies compare by: a later constant is at least as strong a boundary as an earlier one, except [#JAIL], which
/// shares the host's kernel and is therefore only used where a policy names it.
public enum Tier {
    /// Namespaces, seccomp and Landlock on the host's own kernel: for code that is half trusted.
    JAIL,
    /// A V8 isolate inside a cell: JavaScript, TypeScript.
    ISOLATE,
    /// WebAssembly inside a cell: no system calls, only the host functions that we hand in.
    WASM,
    /// gVisor's user-space kernel.
    GVISOR,
    /// A hardware virtual machine with its own kernel.
    MICROVM,
    /// The end user's own browser tab: for privacy, not for safety.
    BROWSER;

    /// The word for this tier in every interface: the constant's name in lower case.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// What its sandboxes start from when nobody names a template; empty where there are none to choose from.
    public Optional<String> defaultTemplate() {
        return switch (this) {
            case JAIL, GVISOR, MICROVM -> Optional.of("code");
            case ISOLATE, WASM, BROWSER -> Optional.empty();
        };
    }

    /// Finds a tier by its [#word()]; empty if there is none of that name.
    public static Optional<Tier> ofWord(String word) {
        return Arrays.stream(values()).filter(tier -> tier.word().equals(word)).findFirst();
    }
}
