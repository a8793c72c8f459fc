package dev.glovebox.cell.wasi;

/// Where a guest's standard input comes from. Called by the guest's thread; it may block.
@FunctionalInterface
public interface GuestInput {
    /// An input that is at its end.
    GuestInput EMPTY = (_, _, _) -> -1;

    /// Reads at least one byte and at most `length`, or returns -1 at the end.
    int read(byte[] target, int offset, int length);
}
