package dev.glovebox.cell.fs;

import dev.glovebox.core.GuestPath;
import java.nio.ByteBuffer;

/// A file that the host writes piece by piece and then puts in its place at once. Until [#commit()] it has no
/// name, but counts against the quota; [#close()] without a commit leaves no trace. For one thread at a time.
public final class Replacement implements AutoCloseable {
    private final MemoryFileSystem files;
    private final GuestPath path;
    private final WriteOptions options;
    private final FileHandle handle;

    /// @param handle on a regular file without a name, which this object owns
    Replacement(MemoryFileSystem files, GuestPath path, WriteOptions options, FileHandle handle) {
        this.files = files;
        this.path = path;
        this.options = options;
        this.handle = handle;
    }

    /// Adds all of `content`, or, if the quota does not allow it, none of it.
    public void append(ByteBuffer content) {
        files.runLocked(() -> HostFiles.appendAll(handle, content));
    }

    /// Puts the file in its place, if the place is still fit for it.
    public void commit() {
        files.runLocked(() -> {
            if (options.parents()) {
                HostFiles.makeParents(files, path);
            }
            Location location = findTarget();
            Node file = handle.node();
            location.parent().checkRoomFor(location.name(), file);
            Node replaced = location.node();
            if (replaced != null) {
                file.mode = replaced.mode;
                files.detach(location);
            }
            if (options.mode() != WriteOptions.MODE_KEEP) {
                file.mode = options.mode() & MemoryFileSystem.MODE_MASK;
            }
            files.attach(location, file);
            handle.close();
        });
    }

    @Override
    public void close() {
        handle.close();
    }

    /// Refuses early what [#commit()] would refuse. The lock is held.
    void checkTarget() {
        try {
            findTarget();
        } catch (FsError error) {
            // Missing directories are made at the commit, so that an upload that breaks off leaves none.
            if (error.errno() != Errno.NOENT || !options.parents()) {
                throw error;
            }
        }
    }

    private Location findTarget() {
        Location location = files.fromRoot(path.value(), true);
        HostFiles.requireReplaceable(location);
        return location;
    }
}
