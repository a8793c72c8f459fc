package dev.glovebox.cell.fs;

import dev.glovebox.core.FileEntry;

/// What `stat` tells of a file at one moment. A device has the type OTHER. Times are nanoseconds since 1970, in
/// steps of a millisecond: they must not be a finer clock than the guest's own. Reading does not change the
/// access time.
///
/// @param id unique within the file system
/// @param links directory entries that name the file; 0 for a file that is open but removed
public record Attributes(
        long id,
        FileEntry.Type type,
        long size,
        int mode,
        int links,
        long accessedNanos,
        long modifiedNanos,
        long changedNanos) {

    public boolean isDirectory() {
        return type == FileEntry.Type.DIRECTORY;
    }
}
