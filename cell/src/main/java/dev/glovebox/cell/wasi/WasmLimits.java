package dev.glovebox.cell.wasi;

/// The size of a memory, in pages of 64 KiB, or of a table, in entries.
///
/// @param maximum what the module declares; [#UNDECLARED] if it declares none
public record WasmLimits(int initial, int maximum) {
    public static final int UNDECLARED = Integer.MAX_VALUE;

    /// Reads the `limits` of the specification. Only the two forms of WebAssembly 1.0: the other flags mean
    /// memory that is shared between threads, 64-bit addresses and pages of other sizes.
    static WasmLimits read(WasmReader reader, String what) {
        int flags = reader.u8();
        if (flags > 1) {
            throw reader.malformed("a " + what + " is shared, 64-bit or of another page size (flags " + flags
                    + "), which is not offered here");
        }
        int initial = reader.u32();
        int maximum = flags == 1 ? reader.u32() : UNDECLARED;
        if (initial > maximum) {
            throw reader.malformed("the maximum of a " + what + " is below its initial size");
        }
        return new WasmLimits(initial, maximum);
    }

    /// The same with a maximum, which is at most `max`. The caller has checked the initial size.
    WasmLimits capped(int max) {
        return new WasmLimits(initial, Math.min(maximum, max));
    }

    void write(WasmWriter writer) {
        writer.u8(1);
        writer.u32(initial);
        writer.u32(maximum);
    }
}
