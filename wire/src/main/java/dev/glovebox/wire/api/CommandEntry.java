package dev.glovebox.wire.api;

/// A process that runs. `program` is guest content: escape before showing.
public record CommandEntry(long pid, String program, String startedAt) {}
