package dev.glovebox.core;

/// Something that happened to a file in a directory that is watched. `path` and `target` are guest content.
///
/// @param target where it is now, after a [Kind#RENAME]; else empty
public record WatchEvent(Kind kind, String path, boolean isDirectory, String target) {
    public enum Kind {
        CREATE,
        WRITE,
        REMOVE,
        RENAME,
        /// Mode or owner changed.
        ATTRIBUTES,
        /// Events are missing: list the directory anew.
        OVERFLOW
    }
}
