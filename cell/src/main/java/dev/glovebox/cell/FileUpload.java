package dev.glovebox.cell;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FileHandle;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.fs.OpenOptions;
import dev.glovebox.cell.fs.PathAt;
import dev.glovebox.cell.fs.Replacement;
import dev.glovebox.core.GuestPath;
import java.nio.ByteBuffer;

/// Content on its way into a file.
sealed interface FileUpload extends AutoCloseable {
    void append(ByteBuffer content);

    void commit();

    @Override
    void close();

    /// The file gets the new content as a whole.
    static FileUpload whole(Replacement replacement) {
        return new Whole(replacement);
    }

    /// Content is written at an offset of a file, which is made if it is missing.
    static FileUpload at(MemoryFileSystem files, GuestPath path, long offset) {
        try (FileHandle root = files.openRoot()) {
            OpenOptions options = new OpenOptions(true, false, false, false, true);
            return new Part(files.open(new PathAt(root, path.value().substring(1), true), options), offset);
        }
    }

    record Whole(Replacement replacement) implements FileUpload {
        @Override
        public void append(ByteBuffer content) {
            replacement.append(content);
        }

        @Override
        public void commit() {
            replacement.commit();
        }

        @Override
        public void close() {
            replacement.close();
        }
    }

    final class Part implements FileUpload {
        private final FileHandle handle;
        private long offset;

        Part(FileHandle handle, long offset) {
            this.handle = handle;
            this.offset = offset;
        }

        @Override
        public void append(ByteBuffer content) {
            offset += handle.write(offset, content);
            if (content.hasRemaining()) {
                throw new FsError(Errno.NOSPC);
            }
        }

        @Override
        public void commit() {}

        @Override
        public void close() {
            handle.close();
        }
    }
}
