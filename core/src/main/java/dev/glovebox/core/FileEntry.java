package dev.glovebox.core;

import java.time.Instant;

/// What a sandbox's file system says of one file. `path` and `linkTarget` are guest content.
///
/// @param mode permission bits, for example 0644
/// @param linkTarget where a symbolic link points; empty for the others
public record FileEntry(String path, Type type, long sizeBytes, int mode, Instant modified, String linkTarget) {
    public enum Type {
        FILE,
        DIRECTORY,
        SYMLINK,
        OTHER
    }
}
