package dev.glovebox.wire.api;

import java.util.List;

/// The processes that run in a sandbox.
public record CommandList(List<CommandEntry> items) {}
