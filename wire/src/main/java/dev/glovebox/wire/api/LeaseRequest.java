package dev.glovebox.wire.api;

/// Lets a sandbox's lease end this many seconds from now, sooner or later than before.
public record LeaseRequest(long leaseSeconds) {}
