package dev.glovebox.wire.api;

import org.jspecify.annotations.Nullable;

/// An API key to make.
///
/// @param tenant left out: the administrator's own
/// @param role `tenant` or `admin`; left out: `tenant`
public record KeyRequest(
        @Nullable String label,
        @Nullable String tenant,
        @Nullable String role) {}
