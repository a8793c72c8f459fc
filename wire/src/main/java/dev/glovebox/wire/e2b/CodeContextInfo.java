package dev.glovebox.wire.e2b;

/// A context of the code interpreter.
public record CodeContextInfo(String id, String language, String cwd) {}
