package dev.glovebox.cell.fs;

/// A place as a guest names it: a path below an open directory. The path is relative; it never leaves the
/// directory, whatever links and `..` it goes through. `path` is guest content.
///
/// @param follow whether a symbolic link in the last part is followed; those before are always
public record PathAt(FileHandle directory, String path, boolean follow) {}
