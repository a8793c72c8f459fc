package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// Bytes for a process' standard input: as `text`, as `base64` or none.
///
/// @param end whether the standard input ends after them
public record InputRequest(
        @Nullable String text,
        @Nullable String base64,
        @Nullable Boolean end) {}
