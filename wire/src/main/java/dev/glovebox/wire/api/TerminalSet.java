package dev.glovebox.wire.api;

/// The size of a terminal, in characters.
public record TerminalSet(int columns, int rows) {}
