package dev.glovebox.core;

import java.time.Instant;
import java.util.Map;

/// What a sandbox's file system says of one file. `path` and `linkTarget` are guest content.
///
/// @param mode permission bits, for example 0644
/// @param linkTarget where a symbolic link points; empty for the others
/// @param owner name of the user that it belongs to, or its number; empty where a tier has no users
/// @param group the same of its group
/// @param attributes extended attributes whose name begins with `user.`, where a tier has them and they were asked for
public record FileEntry(
        String path,
        Type type,
        long sizeBytes,
        int mode,
        Instant modified,
        String linkTarget,
        String owner,
        String group,
        Map<String, String> attributes) {
    public FileEntry {
        attributes = Map.copyOf(attributes);
    }

    /// Of a tier without users.
    public FileEntry(String path, Type type, long sizeBytes, int mode, Instant modified, String linkTarget) {
        this(path, type, sizeBytes, mode, modified, linkTarget, "", "", Map.of());
    }

    public enum Type {
        FILE,
        DIRECTORY,
        SYMLINK,
        OTHER
    }
}
