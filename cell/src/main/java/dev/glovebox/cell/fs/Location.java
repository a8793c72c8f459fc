package dev.glovebox.cell.fs;

import org.jspecify.annotations.Nullable;

/// Where a path leads: a directory, a name in it, and what is there now.
///
/// @param name empty if the path ends in `.`, `..` or the directory that it began at; `node` is then `parent`
/// @param node absent if there is nothing of that name
/// @param mustBeDirectory whether the path ends in a slash
record Location(Directory parent, String name, @Nullable Node node, boolean mustBeDirectory) {

    Node require() {
        if (node == null) {
            throw new FsError(Errno.NOENT);
        }
        return node;
    }

    /// What is there, as something that is about to be removed, moved or replaced.
    Node requireRemovable() {
        Node found = require();
        refuseFixed(found);
        if (name.isEmpty()) {
            throw new FsError(Errno.INVAL, "invalid argument: the path ends in '.' or '..'");
        }
        return found;
    }

    static void refuseFixed(Node node) {
        if (node.fixed && node instanceof Directory) {
            throw new FsError(Errno.BUSY, "resource busy: the directory is part of every sandbox");
        }
        if (node.fixed) {
            throw new FsError(Errno.ROFS, "read-only file system: the file is part of every sandbox");
        }
    }
}
