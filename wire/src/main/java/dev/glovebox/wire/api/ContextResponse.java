package dev.glovebox.wire.api;

/// An open code interpreter context.
public record ContextResponse(String id, String language, String directory) {}
