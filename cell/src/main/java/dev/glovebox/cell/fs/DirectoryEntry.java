package dev.glovebox.cell.fs;

import dev.glovebox.core.FileEntry;

/// One line of a directory. `name` is guest content.
///
/// @param cookie asks for this entry and those after it; it stays right whatever happens to the directory
public record DirectoryEntry(String name, long cookie, long id, FileEntry.Type type) {}
