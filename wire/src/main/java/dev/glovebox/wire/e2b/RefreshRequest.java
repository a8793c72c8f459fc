package dev.glovebox.wire.e2b;

import org.jspecify.annotations.Nullable;

/// The body of `POST /sandboxes/{id}/refreshes`: how many seconds it lives on at least.
public record RefreshRequest(@Nullable Long duration) {}
