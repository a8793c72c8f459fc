package dev.glovebox.bench;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/// Makes WASI preview 1 modules that no cache can know: each has other constants in other functions, all of which run
/// once, and prints [#OUTPUT].
final class WasmMaker {
    static final String OUTPUT = "hello from a module\n";

    private static final int TYPE_WRITE = 0;
    private static final int TYPE_START = 1;
    private static final int TYPE_FILLER = 2;
    private static final int I32 = 0x7f;
    private static final int FUNCTION = 0x60;
    private static final int I32_CONST = 0x41;
    private static final int LOCAL_GET = 0x20;
    private static final int CALL = 0x10;
    private static final int DROP = 0x1a;
    private static final int I32_STORE = 0x36;
    private static final int END = 0x0b;
    private static final int[] ARITHMETIC = {0x6a, 0x6b, 0x6c, 0x71, 0x72, 0x73, 0x77};
    private static final int OPERATIONS = 32;

    private static final int TEXT_ADDRESS = 64;
    private static final int VECTOR_ADDRESS = 16;
    private static final int COUNT_ADDRESS = 32;
    private static final int SCRATCH_ADDRESS = 128;

    private final RandomGenerator random;

    WasmMaker(RandomGenerator random) {
        this.random = random;
    }

    /// A module of about this many bytes.
    byte[] make(int bytes) {
        ByteArrayOutputStream sample = filler();
        int fillers = Math.max(1, bytes / (sample.size() + 5));
        ByteArrayOutputStream module = new ByteArrayOutputStream(bytes + 1024);
        module.writeBytes(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0});
        section(module, 1, types());
        section(module, 2, imports());
        section(module, 3, functions(fillers));
        section(module, 5, bytes(1, 0, 1)); // one memory of one page
        section(module, 7, exports(fillers));
        section(module, 10, code(fillers));
        section(module, 11, data());
        return module.toByteArray();
    }

    private static ByteArrayOutputStream types() {
        return bytes(3, FUNCTION, 4, I32, I32, I32, I32, 1, I32, FUNCTION, 0, 0, FUNCTION, 1, I32, 1, I32);
    }

    private static ByteArrayOutputStream imports() {
        ByteArrayOutputStream out = bytes(1);
        name(out, "wasi_snapshot_preview1");
        name(out, "fd_write");
        out.write(0);
        out.write(TYPE_WRITE);
        return out;
    }

    private static ByteArrayOutputStream functions(int fillers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        unsigned(out, fillers + 1);
        for (int i = 0; i < fillers; i++) {
            out.write(TYPE_FILLER);
        }
        out.write(TYPE_START);
        return out;
    }

    private static ByteArrayOutputStream exports(int fillers) {
        ByteArrayOutputStream out = bytes(2);
        name(out, "memory");
        out.write(2);
        out.write(0);
        name(out, "_start");
        out.write(0);
        unsigned(out, fillers + 1);
        return out;
    }

    private ByteArrayOutputStream code(int fillers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        unsigned(out, fillers + 1);
        for (int i = 0; i < fillers; i++) {
            body(out, filler());
        }
        body(out, start(fillers));
        return out;
    }

    /// Takes a number and mixes it with constants.
    private ByteArrayOutputStream filler() {
        ByteArrayOutputStream out = bytes(0, LOCAL_GET, 0);
        for (int i = 0; i < OPERATIONS; i++) {
            constant(out, random.nextInt() | 0x4000_0000);
            out.write(ARITHMETIC[random.nextInt(ARITHMETIC.length)]);
        }
        out.write(END);
        return out;
    }

    /// Sends a number through all fillers, and writes the text.
    private static ByteArrayOutputStream start(int fillers) {
        ByteArrayOutputStream out = bytes(0);
        constant(out, SCRATCH_ADDRESS);
        constant(out, 1);
        for (int i = 1; i <= fillers; i++) {
            out.write(CALL);
            unsigned(out, i);
        }
        store(out);
        constant(out, VECTOR_ADDRESS);
        constant(out, TEXT_ADDRESS);
        store(out);
        constant(out, VECTOR_ADDRESS + Integer.BYTES);
        constant(out, OUTPUT.length());
        store(out);
        constant(out, 1); // standard output
        constant(out, VECTOR_ADDRESS);
        constant(out, 1);
        constant(out, COUNT_ADDRESS);
        out.write(CALL);
        out.write(0);
        out.write(DROP);
        out.write(END);
        return out;
    }

    private static ByteArrayOutputStream data() {
        ByteArrayOutputStream out = bytes(1, 0);
        constant(out, TEXT_ADDRESS);
        out.write(END);
        name(out, OUTPUT);
        return out;
    }

    private static void store(ByteArrayOutputStream out) {
        out.write(I32_STORE);
        out.write(2);
        out.write(0);
    }

    private static void constant(ByteArrayOutputStream out, int value) {
        out.write(I32_CONST);
        int rest = value;
        while (rest < -64 || rest > 63) {
            out.write((rest & 0x7f) | 0x80);
            rest >>= 7;
        }
        out.write(rest & 0x7f);
    }

    private static void unsigned(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }

    private static void name(ByteArrayOutputStream out, String name) {
        unsigned(out, name.length());
        out.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
    }

    private static void body(ByteArrayOutputStream out, ByteArrayOutputStream content) {
        unsigned(out, content.size());
        out.writeBytes(content.toByteArray());
    }

    private static void section(ByteArrayOutputStream out, int id, ByteArrayOutputStream content) {
        out.write(id);
        body(out, content);
    }

    private static ByteArrayOutputStream bytes(int... values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int value : values) {
            out.write(value);
        }
        return out;
    }
}
