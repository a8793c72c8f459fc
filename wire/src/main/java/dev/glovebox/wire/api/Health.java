package dev.glovebox.wire.api;

/// `ok`, or what is wrong.
public record Health(String status) {}
