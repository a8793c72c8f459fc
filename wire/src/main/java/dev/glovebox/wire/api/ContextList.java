package dev.glovebox.wire.api;

import java.util.List;

/// The open contexts of a sandbox.
public record ContextList(List<ContextResponse> items) {}
