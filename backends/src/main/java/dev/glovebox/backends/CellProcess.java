package dev.glovebox.backends;

import java.time.Duration;
import java.util.function.Consumer;

/// The process of one cell, however it was started. Thread-safe.
interface CellProcess {
    /// As the host numbers it.
    long pid();

    boolean isAlive();

    /// Runs `action` with the reason in words when it has ended; at once if it has.
    void onEnd(Consumer<String> action);

    /// Ends it at once.
    void kill();

    /// Waits until it is gone and all of its log was handed on; false if that takes longer.
    boolean awaitEnd(Duration atMost) throws InterruptedException;
}
