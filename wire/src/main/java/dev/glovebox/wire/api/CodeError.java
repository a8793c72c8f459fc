package dev.glovebox.wire.api;

/// An error that code raised and did not handle: the class of the exception, its message, the traceback as text.
/// All three are guest content: escape before showing.
public record CodeError(String name, String value, String traceback) {}
