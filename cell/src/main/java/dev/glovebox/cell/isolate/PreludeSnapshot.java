package dev.glovebox.cell.isolate;

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
        byte[] snapshot = Prelude.snapshot();
        Files.write(file, snapshot);
        GIVEN.set(snapshot);
    }
}
