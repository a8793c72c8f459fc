package dev.glovebox.cell.fs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// A guest at work in a file system: the operations with paths below `/`, and strings for content.
final class Guest implements AutoCloseable {
    final MemoryFileSystem files;
    final FileHandle root;

    Guest(MemoryFileSystem files) {
        this.files = files;
        root = files.openRoot();
    }

    PathAt at(String path) {
        return new PathAt(root, path, false);
    }

    PathAt following(String path) {
        return new PathAt(root, path, true);
    }

    void mkdir(String path) {
        files.createDirectory(at(path));
    }

    void symlink(String target, String path) {
        files.symlink(target, at(path));
    }

    void rename(String from, String to) {
        files.rename(at(from), at(to));
    }

    void unlink(String path) {
        files.unlink(at(path));
    }

    void rmdir(String path) {
        files.removeDirectory(at(path));
    }

    FileHandle open(String path) {
        return files.open(following(path), OpenOptions.READ);
    }

    FileHandle create(String path) {
        return files.open(following(path), FileSystems.CREATE);
    }

    void write(String path, String text) {
        try (FileHandle handle = create(path)) {
            handle.resize(0);
            handle.write(0, FileSystems.utf8(text));
        }
    }

    String read(String path) {
        try (FileHandle handle = open(path)) {
            return read(handle);
        }
    }

    static String read(FileHandle handle) {
        ByteBuffer target = ByteBuffer.allocate((int) handle.attributes().size());
        int count = handle.read(0, target);
        return new String(target.array(), 0, count, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        root.close();
    }
}
