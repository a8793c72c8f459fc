package dev.glovebox.wire.e2b;

/// What went wrong.
///
/// @param code the HTTP status: clients branch on this one
public record ErrorAnswer(int code, String message) {}
