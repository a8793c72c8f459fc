package dev.glovebox.wire.api;

/// Moves a file or a directory.
public record MoveRequest(String from, String to) {}
