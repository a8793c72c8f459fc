package dev.glovebox.cell.wasm;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.ResourceLimits;

/// A memory limit as pages of WebAssembly.
final class WasmPages {
    /// Java sees a memory as one buffer, whose length is an int.
    private static final int PAGES_MAX = Integer.MAX_VALUE / WasmImage.PAGE_BYTES;

    private WasmPages() {}

    /// @throws GloveboxException if the interpreter needs more than the limit to begin with
    static int within(ResourceLimits limits, int needed, String who) {
        int pages = (int) Math.min(PAGES_MAX, limits.memoryBytes() / WasmImage.PAGE_BYTES);
        if (pages < needed) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a memory limit of " + limits.memoryBytes() + " bytes is too small: " + who + " needs at least "
                            + (long) needed * WasmImage.PAGE_BYTES);
        }
        return pages;
    }
}
