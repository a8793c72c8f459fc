package dev.glovebox.core;

/// Receives what happens in a directory, by one thread. While it does not return, events gather inside the sandbox, up
/// to a bound.
public interface WatchSink {
    /// From here on nothing is missed.
    default void watching() {}

    void event(WatchEvent event);
}
