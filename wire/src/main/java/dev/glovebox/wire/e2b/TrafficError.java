package dev.glovebox.wire.e2b;

import org.jspecify.annotations.Nullable;

/// Why a request to a port of a sandbox was not served.
///
/// @param code the HTTP status
public record TrafficError(
        @Nullable String sandboxId,
        String message,
        @Nullable Integer port,
        int code) {}
