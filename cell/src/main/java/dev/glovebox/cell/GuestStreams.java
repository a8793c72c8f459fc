package dev.glovebox.cell;

import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.MimeBundle;

/// Where one process or execution reads and writes. All methods may block (the peer has no credit left, no
/// input yet) and are called by the thread that runs the guest.
public interface GuestStreams {

    /// What [#read] returns if an interrupt came while it waited: the guest should look at its signals.
    int INTERRUPTED = -2;

    /// Reads at least one byte of standard input, or returns -1 at its end.
    int read(byte[] target, int offset, int length);

    void stdout(byte[] bytes, int offset, int length);

    void stderr(byte[] bytes, int offset, int length);

    void result(MimeBundle bundle);

    void error(ExecutionError error);

    /// Runs an action in which the guest's thread waits, for time or for somebody else, and does not compute.
    /// Whoever schedules guests may let another one run meanwhile.
    default void waitOutside(Runnable action) {
        action.run();
    }
}
