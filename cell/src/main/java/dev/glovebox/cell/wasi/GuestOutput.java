package dev.glovebox.cell.wasi;

/// Where a stream of a guest goes. Called by the guest's thread; it may block. It takes all of the bytes, and
/// must not keep the array.
@FunctionalInterface
public interface GuestOutput {
    void write(byte[] bytes, int offset, int length);
}
