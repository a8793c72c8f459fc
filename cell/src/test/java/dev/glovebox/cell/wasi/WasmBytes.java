package dev.glovebox.cell.wasi;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// Puts WebAssembly modules together by hand, right ones and wrong ones.
final class WasmBytes {
    private WasmBytes() {}

    /// A command with a function, a table, a memory of 1 to 100 pages, data and names, as wat2wasm makes it.
    static final byte[] COMMAND = HexFormat.of()
            .parseHex("0061736d0100000001100360047f7f7f7f017f60017f0060000002460216"
                    + "776173695f736e617073686f745f70726576696577310866645f77726974"
                    + "65000016776173695f736e617073686f745f70726576696577310970726f"
                    + "635f657869740001030201020405017001020a0504010101640606017f01"
                    + "41000b071302066d656d6f72790200065f73746172740002090701004100"
                    + "0b01020a10010e004101410041014108100010010b0b0b010041000b0568"
                    + "656c6c6f0020046e616d65010a0300017701017802017302070300000100"
                    + "0200070401000167");

    /// The type section with `(i i i i) -> (i)`, which is that of `fd_write`.
    static final byte[] TYPES = section(1, bytes(1, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f));

    static final byte[] START = export("_start", 0, 0);

    static byte[] module(byte[]... sections) {
        return concat(bytes(0, 'a', 's', 'm', 1, 0, 0, 0), concat(sections));
    }

    static byte[] section(int id, byte[]... content) {
        byte[] joined = concat(content);
        return concat(bytes(id), number(joined.length), joined);
    }

    static byte[] export(String name, int kind, int index) {
        return section(7, bytes(1), name(name), bytes(kind, index));
    }

    /// One import of a function of the first type.
    static byte[] importFunction(String module, String name) {
        return section(2, bytes(1), name(module), name(name), bytes(0, 0));
    }

    static byte[] memory(int... limits) {
        return section(5, bytes(1), bytes(limits));
    }

    static byte[] name(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return concat(number(utf8.length), utf8);
    }

    static byte[] number(int value) {
        WasmWriter writer = new WasmWriter(5);
        writer.u32(value);
        return writer.toBytes();
    }

    static byte[] bytes(int... values) {
        byte[] result = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = (byte) values[i];
        }
        return result;
    }

    static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
