package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FileHandle;
import dev.glovebox.cell.fs.FsError;

/// What one file descriptor of a guest stands for.
abstract sealed class Descriptor {
    /// `fdflags`: the ones that this host can honour, or that mean nothing where nothing blocks and nothing is
    /// stored.
    static final int FLAG_APPEND = 1;
    static final int FLAG_NONBLOCK = 4;
    static final int FLAGS_ALL = 31;

    /// `fs_rights_base`: what this descriptor may be used for.
    long rights;
    /// `fs_rights_inheriting`: the most that descriptors opened below this one may get.
    long inheriting;
    /// `fs_flags`.
    int flags;

    private Descriptor(long rights, long inheriting) {
        this.rights = rights;
        this.inheriting = inheriting;
    }

    /// The `filetype`.
    abstract int type();

    void close() {
        // A stream belongs to the host.
    }

    final void require(long needed) {
        if ((rights & needed) != needed) {
            throw new FsError(Errno.NOTCAPABLE);
        }
    }

    /// Standard input.
    static final class Input extends Descriptor {
        final GuestInput source;

        Input(GuestInput source) {
            super(Rights.INPUT, 0);
            this.source = source;
        }

        @Override
        int type() {
            // As a pipe: a character device without seek would be a terminal to wasi-libc, and programs would prompt.
            return FileType.UNKNOWN;
        }
    }

    /// Standard output, standard error, or the result stream.
    static final class Output extends Descriptor {
        final GuestOutput sink;
        private final int type;

        Output(GuestOutput sink, int type) {
            super(Rights.OUTPUT, 0);
            this.sink = sink;
            this.type = type;
        }

        @Override
        int type() {
            return type;
        }
    }

    /// A connection to outside.
    static final class Connected extends Descriptor {
        final GuestInput source;
        final GuestOutput sink;
        private final Runnable onClose;

        Connected(GuestInput source, GuestOutput sink, Runnable onClose) {
            super(Rights.INPUT | Rights.OUTPUT, 0);
            this.source = source;
            this.sink = sink;
            this.onClose = onClose;
        }

        @Override
        int type() {
            return FileType.UNKNOWN;
        }

        @Override
        void close() {
            onClose.run();
        }
    }

    /// Something in the file system: what has content, and a position in it, or a directory.
    abstract static sealed class InFileSystem extends Descriptor {
        final FileHandle handle;

        private InFileSystem(FileHandle handle, long rights, long inheriting) {
            super(rights, inheriting);
            this.handle = handle;
        }

        @Override
        final int type() {
            return FileType.of(handle.attributes().type());
        }

        @Override
        final void close() {
            handle.close();
        }
    }

    static final class OpenFile extends InFileSystem {
        long position;

        OpenFile(FileHandle handle, long rights) {
            super(handle, rights & Rights.FILE, 0);
        }
    }

    static final class OpenDirectory extends InFileSystem {
        /// The name that `fd_prestat_dir_name` gives; empty if the guest opened this directory itself.
        final String preopenName;

        OpenDirectory(FileHandle handle, long rights, long inheriting, String preopenName) {
            super(handle, rights & Rights.DIRECTORY, inheriting & Rights.ALL);
            this.preopenName = preopenName;
        }
    }
}
