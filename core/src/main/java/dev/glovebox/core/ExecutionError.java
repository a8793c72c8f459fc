package dev.glovebox.core;

/// An error that code raised and did not handle: the class of the exception, its message, and a traceback as text.
/// All three are guest content: escape before showing.
public record ExecutionError(String name, String value, String traceback) {}
