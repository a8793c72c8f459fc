package dev.glovebox.wire.api;

/// What a sandbox's network did so far.
///
/// @param open connections at this moment
/// @param allowed connections since it began
/// @param denied connections since it began
/// @param sentBytes from the sandbox
public record NetworkUsageReport(int open, long allowed, long denied, long sentBytes, long receivedBytes) {}
