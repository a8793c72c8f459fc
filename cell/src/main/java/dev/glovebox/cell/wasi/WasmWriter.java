package dev.glovebox.cell.wasi;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// Writes the binary format of WebAssembly.
final class WasmWriter {
    private final ByteArrayOutputStream out;

    WasmWriter(int expectedBytes) {
        out = new ByteArrayOutputStream(expectedBytes);
    }

    void u8(int value) {
        out.write(value);
    }

    void u32(int value) {
        int rest = value;
        while (rest >>> 7 != 0) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    void name(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        u32(utf8.length);
        bytes(utf8, 0, utf8.length);
    }

    void bytes(byte[] bytes, int start, int end) {
        out.write(bytes, start, end - start);
    }

    void section(int id, WasmWriter content) {
        u8(id);
        u32(content.out.size());
        out.writeBytes(content.out.toByteArray());
    }

    byte[] toBytes() {
        return out.toByteArray();
    }
}
