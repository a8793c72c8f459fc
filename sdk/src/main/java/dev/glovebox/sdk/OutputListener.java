package dev.glovebox.sdk;

import dev.glovebox.wire.api.RichResult;

/// Receives what a guest says while it runs, in order, on the thread that called. All of it is guest content:
/// escape before showing. An exception thrown here ends the run.
public interface OutputListener {
    /// The first call for a command: by this id it can be written to and signalled. Not called for one-shot
    /// runs.
    default void started(long pid) {}

    void stdout(byte[] bytes);

    void stderr(byte[] bytes);

    void result(RichResult result);
}
