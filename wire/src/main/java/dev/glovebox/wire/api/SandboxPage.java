package dev.glovebox.wire.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One page of sandboxes, newest first.
///
/// @param next hand this in as `cursor` to get the following page; left out on the last one
public record SandboxPage(
        List<SandboxResponse> items, @Nullable String next) {}
