package dev.glovebox.cell.wasm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The memory that an interpreter has before its start, for images that a cell makes itself. It is a mapped file, so
/// it costs a cell next to nothing. Thread-safe.
public final class StartMemory {
    private final ByteBuffer content;
    private @Nullable Layout layout;

    /// What is where in the content.
    record Layout(int pages, List<ImageModule.Segment> segments) {}

    private StartMemory(ByteBuffer content) {
        this.content = content;
    }

    /// The memory in a file.
    ///
    /// @param file `python-start.wasm`; it must not change while the cell lives
    public static StartMemory open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return new StartMemory(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
        }
    }

    ByteBuffer content() {
        return content.duplicate();
    }

    /// Read when it is first needed: a cell that runs one program never does.
    synchronized Layout layout() {
        Layout known = layout;
        if (known == null) {
            byte[] bytes = new byte[content.capacity()];
            content.duplicate().get(bytes);
            ImageModule module = new ImageModule(bytes);
            known = new Layout(module.initialPages(), module.segments());
            layout = known;
        }
        return known;
    }
}
