package dev.glovebox.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The right of one server at a time to a home. A second one would take the sandboxes of the first for those of a dead
/// one and write them off. The kernel gives it up when the process ends, however it does. Thread-safe.
final class HomeLock implements AutoCloseable {
    /// A process' second lock of a file does not exclude its first, and closing it would give that one up.
    private static final Set<Path> IN_THIS_JVM = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;

    private HomeLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /// Takes the right, and keeps it until it is closed.
    ///
    /// @throws IllegalStateException if another server has it
    static HomeLock take(HomeDirectory home) {
        Path file = home.lock();
        if (!IN_THIS_JVM.add(file)) {
            throw refused(home);
        }
        boolean taken = false;
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                channel.close();
                throw refused(home);
            }
            taken = true;
            return new HomeLock(file, channel);
        } catch (IOException e) {
            throw new UncheckedIOException("the file " + file + " cannot be locked: " + e.getMessage(), e);
        } finally {
            if (!taken) {
                IN_THIS_JVM.remove(file);
            }
        }
    }

    private static IllegalStateException refused(HomeDirectory home) {
        return new IllegalStateException("another Glovebox server runs already with the home " + home.path()
                + ": end it first, or give this one a home of its own with --home");
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            IN_THIS_JVM.remove(file);
        }
    }
}
