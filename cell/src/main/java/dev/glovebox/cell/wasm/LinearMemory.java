package dev.glovebox.cell.wasm;

import dev.glovebox.cell.Linux;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The memory of one instance, as the host sees it. V8 keeps a memory at one address for its life (measured: it
/// grows in place), so the view only needs the right length, which [WasmIsolate] sets before each host call.
/// The guest's thread owns it; [#poke] alone may come from any other.
final class LinearMemory {
    private final long address;
    private volatile ByteBuffer view;
    private volatile int pages;
    private boolean discarded;

    private LinearMemory(ByteBuffer view) {
        this.view = view.order(ByteOrder.LITTLE_ENDIAN);
        address = Linux.address(view);
        pages = view.capacity() / WasmImage.PAGE_BYTES;
    }

    static LinearMemory of(ByteBuffer buffer) {
        return new LinearMemory(buffer);
    }

    ByteBuffer buffer() {
        return view;
    }

    long bytes() {
        return (long) pages * WasmImage.PAGE_BYTES;
    }

    long address() {
        return address;
    }

    /// Follows the guest's memory; true if it has grown.
    synchronized boolean resize(int newPages) {
        if (newPages <= pages || discarded) {
            return false;
        }
        pages = newPages;
        view = Linux.view(address, bytes()).order(ByteOrder.LITTLE_ENDIAN);
        return true;
    }

    /// Changes one cell of 32 bits by OR, if the memory is still there.
    synchronized void poke(int at, int bits) {
        if (!discarded && at >= 0 && at <= bytes() - Integer.BYTES) {
            view.putInt(at, view.getInt(at) | bits);
        }
    }

    /// Whether a cell of 32 bits is not zero.
    synchronized boolean isSet(int at) {
        return !discarded && at >= 0 && at <= bytes() - Integer.BYTES && view.getInt(at) != 0;
    }

    /// Gives the pages back to the system. Whoever touches them afterwards dies, so nothing may.
    synchronized void discard() {
        if (!discarded) {
            discarded = true;
            view = ByteBuffer.allocate(0);
            Linux.discard(address, bytes());
        }
    }
}
