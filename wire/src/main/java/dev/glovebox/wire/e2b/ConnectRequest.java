package dev.glovebox.wire.e2b;

import org.jspecify.annotations.Nullable;

/// The body of connecting to a sandbox.
///
/// @param timeout seconds that it lives on at least
/// @param memory false to start a paused one anew instead of going on
public record ConnectRequest(
        @Nullable Long timeout, @Nullable Boolean memory) {}
