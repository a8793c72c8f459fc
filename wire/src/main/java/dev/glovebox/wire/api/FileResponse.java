package dev.glovebox.wire.api;

/// A file in a sandbox. `path` and `linkTarget` are guest content: escape before showing.
///
/// @param type `file`, `directory`, `symlink`, `other`
/// @param mode permission bits as a number
/// @param linkTarget where a symbolic link points; empty for the others
public record FileResponse(String path, String type, long sizeBytes, int mode, String modified, String linkTarget) {}
