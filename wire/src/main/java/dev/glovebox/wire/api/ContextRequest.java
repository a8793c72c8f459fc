package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// A code interpreter context to open.
///
/// @param language left out: `python`
/// @param directory left out: the home directory
public record ContextRequest(
        @Nullable String language, @Nullable String directory) {}
