package dev.glovebox.wire.api;

/// Whether a tier works on the server's machine.
///
/// @param why what was found, in a sentence
/// @param remedy what to do about it; empty if it works
public record TierResponse(String tier, boolean available, String why, String remedy) {}
