package dev.glovebox.cell;

import dev.glovebox.core.FileEntry;

/// The numbers of FILE_TYPE.
public final class FileTypes {
    private FileTypes() {}

    public static int code(FileEntry.Type type) {
        return switch (type) {
            case FILE -> 1;
            case DIRECTORY -> 2;
            case SYMLINK -> 3;
            case OTHER -> 4;
        };
    }
}
