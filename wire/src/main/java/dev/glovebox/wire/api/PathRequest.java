package dev.glovebox.wire.api;

/// Names one file.
public record PathRequest(String path) {}
