package dev.glovebox.wire.api;

/// The first event of a streamed command: by this id it can be written to and signalled.
public record CommandStarted(long pid) {}
