package dev.glovebox.cell.wasi;

/// The guest's thread was interrupted while it waited in a call: somebody wants the guest to end. The thread's
/// interrupt status is set.
public final class GuestInterrupted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GuestInterrupted() {
        super("the guest was interrupted", null, false, false);
        Thread.currentThread().interrupt();
    }
}
