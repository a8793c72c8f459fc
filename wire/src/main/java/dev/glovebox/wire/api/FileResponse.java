package dev.glovebox.wire.api;

/// A file in a sandbox. `path` and `linkTarget` are guest content: escape before showing.
///
/// @param type `file`, `directory`, `symlink`, `other`
/// @param mode permission bits as a number
/// @param linkTarget where a symbolic link points; empty for the others
/// @param owner name or number of the user that it belongs to; empty where a tier has no users
/// @param group the same of its group
public record FileResponse(
        String path,
        String type,
        long sizeBytes,
        int mode,
        String modified,
        String linkTarget,
        String owner,
        String group) {}
