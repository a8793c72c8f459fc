package dev.glovebox.cell.wasi;

import dev.glovebox.core.FileEntry;

/// The `filetype` of WASI preview 1.
final class FileType {
    private FileType() {}

    static final int UNKNOWN = 0;
    static final int CHARACTER_DEVICE = 2;
    static final int DIRECTORY = 3;
    static final int REGULAR_FILE = 4;
    static final int SYMBOLIC_LINK = 7;

    static int of(FileEntry.Type type) {
        return switch (type) {
            case FILE -> REGULAR_FILE;
            case DIRECTORY -> DIRECTORY;
            case SYMLINK -> SYMBOLIC_LINK;
            case OTHER -> CHARACTER_DEVICE;
        };
    }
}
