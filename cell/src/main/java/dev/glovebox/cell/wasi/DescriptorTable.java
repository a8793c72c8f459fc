package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.core.Limits;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The file descriptors of one guest, by number.
final class DescriptorTable {
    private @Nullable Descriptor[] descriptors = new Descriptor[8];

    /// @throws FsError BADF if the number is not open
    Descriptor get(int fd) {
        Descriptor descriptor = fd >= 0 && fd < descriptors.length ? descriptors[fd] : null;
        if (descriptor == null) {
            throw new FsError(Errno.BADF);
        }
        return descriptor;
    }

    Descriptor.InFileSystem inFileSystem(int fd, Errno otherwise) {
        if (get(fd) instanceof Descriptor.InFileSystem descriptor) {
            return descriptor;
        }
        throw new FsError(otherwise);
    }

    /// Something with content and a position.
    Descriptor.OpenFile file(int fd) {
        return switch (get(fd)) {
            case Descriptor.OpenFile file -> file;
            case Descriptor.OpenDirectory _ -> throw new FsError(Errno.ISDIR);
            case Descriptor.Input _, Descriptor.Output _, Descriptor.Connected _ -> throw new FsError(Errno.SPIPE);
        };
    }

    /// A directory that gives the right to do `needed`.
    Descriptor.OpenDirectory directory(int fd, long needed) {
        if (get(fd) instanceof Descriptor.OpenDirectory directory) {
            directory.require(needed);
            return directory;
        }
        throw new FsError(Errno.NOTDIR);
    }

    /// Refuses if [#add] would.
    void requireRoom() {
        lowestFree();
    }

    /// Opens the lowest number that is free.
    int add(Descriptor descriptor) {
        int fd = lowestFree();
        if (fd >= descriptors.length) {
            descriptors = Arrays.copyOf(descriptors, Math.min(Limits.OPEN_FILES_MAX, descriptors.length * 2));
        }
        descriptors[fd] = descriptor;
        return fd;
    }

    void close(int fd) {
        get(fd).close();
        descriptors[fd] = null;
    }

    /// Moves `from` to the number `to`, which is open too and is closed.
    void renumber(int from, int to) {
        Descriptor moved = get(from);
        Descriptor replaced = get(to);
        if (moved != replaced) {
            replaced.close();
            descriptors[to] = moved;
            descriptors[from] = null;
        }
    }

    /// Whether a file is open to be written to.
    boolean hasOutputFile() {
        for (Descriptor descriptor : descriptors) {
            if (descriptor instanceof Descriptor.OpenFile file && (file.rights & Rights.FD_WRITE) != 0) {
                return true;
            }
        }
        return false;
    }

    void closeAll() {
        for (Descriptor descriptor : descriptors) {
            if (descriptor != null) {
                descriptor.close();
            }
        }
        descriptors = new Descriptor[0];
    }

    private int lowestFree() {
        for (int fd = 0; fd < Limits.OPEN_FILES_MAX; fd++) {
            if (fd >= descriptors.length || descriptors[fd] == null) {
                return fd;
            }
        }
        throw new FsError(
                Errno.MFILE, "too many open files: the bound is " + Limits.OPEN_FILES_MAX + " file descriptors");
    }
}
