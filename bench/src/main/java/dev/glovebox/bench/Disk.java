package dev.glovebox.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// What the disk takes for itself: no run begins before its intent is on it.
final class Disk {
    /// About a record of the audit log.
    private static final int RECORD_BYTES = 400;

    private Disk() {}

    /// Appends records to a file in a directory, each flushed before the next.
    static Samples flushes(Path directory, int times) {
        Path file = directory.resolve("bench.tmp");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            return Stopwatch.repeat(times, () -> flush(channel));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            remove(file);
        }
    }

    private static void flush(FileChannel channel) {
        try {
            channel.write(ByteBuffer.allocate(RECORD_BYTES));
            channel.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
