package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// One process at a time changes the templates of a home. The lock is the kernel's: it ends with its holder, however
/// that ends.
public final class TemplateLock implements AutoCloseable {
    private final FileChannel channel;

    private TemplateLock(FileChannel channel) {
        this.channel = channel;
    }

    /// Takes the lock.
    ///
    /// @throws GloveboxException WRONG_STATE if somebody else holds it
    public static TemplateLock take(TemplateStore store) {
        Path file = store.root().resolve("lock");
        try {
            Files.createDirectories(store.root());
            TemplateLock lock =
                    new TemplateLock(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            if (lock.acquire() == null) {
                lock.close();
                throw new GloveboxException(
                        ErrorCode.WRONG_STATE,
                        "another process builds or removes a template of this home: wait for it, or see who by 'fuser "
                                + file + "'");
            }
            return lock;
        } catch (IOException e) {
            throw new UncheckedIOException("the templates cannot be locked: " + e.getMessage(), e);
        }
    }

    private @Nullable FileLock acquire() throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another thread of this process
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the templates cannot be unlocked: " + e.getMessage(), e);
        }
    }
}
