package dev.glovebox.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.sdk.Glovebox;
import dev.glovebox.wire.api.LimitSet;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Any WASI module, and hostile ones.
class WasmModuleEscapeIT {
    private static final int FUNCTION = 0;
    private static final int MEMORY = 2;

    private final Glovebox client;

    WasmModuleEscapeIT(Target target) {
        this.client = target.connect();
    }

    @AfterEach
    void close() {
        client.close();
    }

    private RunResponse run(byte[] module, @Nullable LimitSet limits) {
        String base64 = Base64.getEncoder().encodeToString(module);
        return client.run(new RunRequest(null, "wasm", null, base64, null, null, null, null, null, null, null, limits));
    }

    @Test
    void aModuleThatDoesNothingEndsWell() {
        RunResponse answer = run(module("", "", 1, new byte[] {}), null);
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        assertThat(answer.outcome().exitStatus()).isZero();
    }

    /// A module that cannot run ends as a shell's command that cannot: with status 126, and why on standard error.
    private void cannotRun(byte[] module, @Nullable LimitSet limits, String... words) {
        RunResponse answer = run(module, limits);
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        assertThat(answer.outcome().exitStatus()).as(answer.toString()).isEqualTo(126);
        assertThat(answer.stderr()).contains("module").contains(words);
    }

    @Test
    void anImportThatIsNotOursIsRefusedByName() {
        cannotRun(module("env", "system", 1, new byte[] {}), null, "env", "system");
        cannotRun(module("wasi_snapshot_preview1", "proc_exec", 1, new byte[] {}), null, "proc_exec");
    }

    @Test
    void whatIsNoModuleIsRefused() {
        cannotRun(new byte[] {}, null, "too early");
        cannotRun("not wasm at all".getBytes(StandardCharsets.US_ASCII), null, "does not begin with");
        cannotRun(new byte[] {0, 'a', 's', 'm', 2, 0, 0, 0}, null, "version");
        cannotRun(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0, 1, -1, -1, -1, -1, 15}, null, "byte");
    }

    @Test
    void aTrapEndsTheModuleAlone() {
        RunResponse answer = run(module("", "", 1, new byte[] {0x00}), null); // unreachable
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        assertThat(answer.outcome().exitStatus()).isEqualTo(134);
    }

    @Test
    void anEndlessLoopEndsAtItsLimit() {
        byte[] loop = {0x03, 0x40, 0x0c, 0x00, 0x0b}; // loop; br 0; end
        RunResponse answer = run(module("", "", 1, loop), Asking.wall(300));
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("timed_out");
    }

    @Test
    void endlessRecursionEndsTheModuleAlone() {
        byte[] self = {0x10, 0x00}; // call 0
        RunResponse answer = run(module("", "", 1, self), null);
        assertThat(answer.outcome().word()).as(answer.toString()).isEqualTo("exited");
        assertThat(answer.outcome().exitStatus()).isEqualTo(139);
    }

    @Test
    void moreMemoryThanTheLimitIsRefusedOrNotGiven() {
        byte[] grow = {0x41, (byte) 0xff, (byte) 0xff, 0x01, 0x40, 0x00, 0x1a}; // memory.grow 32767; drop
        RunResponse answer = run(module("", "", 1, grow), Asking.memory(32));
        assertThat(answer.outcome().word()).as(answer.toString()).isIn("exited", "out_of_memory");
        assertThat(answer.usage().memoryPeakBytes()).isLessThanOrEqualTo(32L << 20);
        cannotRun(module("", "", 10_000, new byte[] {}), Asking.memory(32), Long.toString(32L << 20));
    }

    /// A module with a memory of so many pages and a `_start` of these instructions, and one import if it is named.
    private static byte[] module(String from, String name, int pages, byte[] body) {
        boolean imports = !name.isEmpty();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0});
        section(out, 1, new byte[] {1, 0x60, 0, 0});
        if (imports) {
            ByteArrayOutputStream section = new ByteArrayOutputStream();
            section.write(1);
            text(section, from);
            text(section, name);
            section.write(FUNCTION);
            section.write(0);
            section(out, 2, section.toByteArray());
        }
        section(out, 3, new byte[] {1, 0});
        ByteArrayOutputStream memory = new ByteArrayOutputStream();
        memory.write(1);
        memory.write(0);
        unsigned(memory, pages);
        section(out, 5, memory.toByteArray());
        ByteArrayOutputStream exports = new ByteArrayOutputStream();
        exports.write(2);
        text(exports, "memory");
        exports.write(MEMORY);
        exports.write(0);
        text(exports, "_start");
        exports.write(FUNCTION);
        exports.write(imports ? 1 : 0);
        section(out, 7, exports.toByteArray());
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        code.write(1);
        unsigned(code, body.length + 2);
        code.write(0);
        code.writeBytes(body);
        code.write(0x0b);
        section(out, 10, code.toByteArray());
        return out.toByteArray();
    }

    private static void section(ByteArrayOutputStream out, int id, byte[] content) {
        out.write(id);
        unsigned(out, content.length);
        out.writeBytes(content);
    }

    private static void text(ByteArrayOutputStream out, String text) {
        unsigned(out, text.length());
        out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void unsigned(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
