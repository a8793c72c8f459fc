package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// Bytes in JSON: as `text` if they are UTF-8, else as `base64`. Exactly one of the two is set.
public record Content(@Nullable String text, @Nullable String base64) {}
