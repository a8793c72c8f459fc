package dev.glovebox.cell.wasm;

/// Thrown by a host function to leave the guest for good, through all its frames. The reason is kept elsewhere.
final class GuestUnwound extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GuestUnwound() {
        super(null, null, false, false);
    }
}
