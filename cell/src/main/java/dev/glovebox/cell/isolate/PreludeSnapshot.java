package dev.glovebox.cell.isolate;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.interop.V8Runtime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/// The prelude's snapshot as a file of the built product. Making one takes 100 ms, and V8 has crashed while it made one
/// beside isolates that ran: so it is made where nothing else runs, and only read in service.
public final class PreludeSnapshot {
    private static final AtomicReference<byte[]> GIVEN = new AtomicReference<>();

    private PreludeSnapshot() {}

    static Optional<byte[]> given() {
        return Optional.ofNullable(GIVEN.get());
    }

    /// Takes the snapshot from a file, if there is one. Before the first isolate.
    public static void read(Path file) throws IOException {
        if (Files.exists(file)) {
            GIVEN.set(Files.readAllBytes(file));
        }
    }

    /// Makes a snapshot and writes it. Before the first isolate, in a process that serves nobody.
    public static void write(Path file) throws IOException {
        // All isolates of a process share V8's read-only heap, which the first one brings. A snapshot that is made in a
        // process where there is none yet brings a larger one: a cell whose first isolate was of tier wasm, which has
        // no snapshot, then died of its first of this tier.
        try (V8Runtime _ = V8Host.getV8Instance().createV8Runtime()) {
            byte[] snapshot = Prelude.snapshot();
            Files.write(file, snapshot);
            GIVEN.set(snapshot);
        } catch (JavetException e) {
            throw new IllegalStateException("V8 gives no isolate", e);
        }
    }
}
