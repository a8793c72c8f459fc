package dev.glovebox.wire.api;

/// A watch: its first event says that from here on nothing is missed, its last that the directory is gone.
public record WatchResponse(String path) {}
