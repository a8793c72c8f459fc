package dev.glovebox.wire.e2b;

import org.jspecify.annotations.Nullable;

/// Asks for a context of the code interpreter.
public record CodeContextRequest(
        @Nullable String language, @Nullable String cwd) {}
