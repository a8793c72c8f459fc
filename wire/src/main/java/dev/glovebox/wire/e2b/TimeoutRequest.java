package dev.glovebox.wire.e2b;

/// The body of `POST /sandboxes/{id}/timeout`: in how many seconds from now it ends.
public record TimeoutRequest(long timeout) {}
