package dev.glovebox.cell;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// A WASI command, made by hand, that writes `hello` and a line end.
final class HelloModule {
    private HelloModule() {}

    static byte[] bytes() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0});
        // types: (i32 i32 i32 i32) -> i32, () -> ()
        section(out, 1, bytes(2, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 0, 0));
        section(out, 2, join(bytes(1), name("wasi_snapshot_preview1"), name("fd_write"), bytes(0, 0)));
        section(out, 3, bytes(1, 1));
        section(out, 5, bytes(1, 0, 1));
        section(out, 7, join(bytes(2), name("memory"), bytes(2, 0), name("_start"), bytes(0, 1)));
        // fd_write(1, iovec at 0, 1, result at 32); drop
        byte[] body = bytes(0, 0x41, 1, 0x41, 0, 0x41, 1, 0x41, 32, 0x10, 0, 0x1a, 0x0b);
        section(out, 10, join(bytes(1, body.length), body));
        // iovec {16, 6} at 0, the text at 16
        section(
                out,
                11,
                join(
                        bytes(2, 0, 0x41, 0, 0x0b, 8, 16, 0, 0, 0, 6, 0, 0, 0, 0, 0x41, 16, 0x0b, 6),
                        "hello\n".getBytes(StandardCharsets.US_ASCII)));
        return out.toByteArray();
    }

    private static void section(ByteArrayOutputStream out, int id, byte[] content) {
        out.write(id);
        out.write(content.length);
        out.writeBytes(content);
    }

    private static byte[] name(String text) {
        return join(bytes(text.length()), text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List.of(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }
}
