package dev.glovebox.cell.wasm;

import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.core.GuestPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Python's standard library: one zip whose entries are stored, mapped once and read in place by all sandboxes of the
/// cell. Immutable; thread-safe.
public final class PythonLibrary {
    private static final GuestPath PATH = new GuestPath("/lib/python313.zip");

    private final ByteBuffer content;

    private PythonLibrary(ByteBuffer content) {
        this.content = content;
    }

    /// The library in a file.
    ///
    /// @param file `python313.zip`; it must not change while the cell lives
    public static PythonLibrary open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new PythonLibrary(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
        }
    }

    /// Shows the library in a sandbox's file system, where every interpreter expects it.
    public void mountIn(MemoryFileSystem files) {
        files.mountReadOnly(PATH, content.duplicate());
    }
}
