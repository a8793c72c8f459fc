package dev.glovebox.cell.fs;

import dev.glovebox.core.Limits;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Resolves one path, link by link, and never leaves the directory that it began at. It holds the file system's
/// lock all the way, so nothing moves under its feet: there is no window between the check and the use.
///
/// Its work is bounded: at most [Limits#SYMLINK_DEPTH_MAX] links of at most [Limits#PATH_BYTES_MAX] bytes each.
final class PathWalk {
    private final Directory root;
    private final Directory base;
    /// Whether the path itself may not climb above `base`, not even to be stopped at the root as POSIX does.
    private final boolean refuseClimb;
    private final Deque<String> pending = new ArrayDeque<>();
    /// How many of the pending parts are the path's own; those before them come from links.
    private int ownParts;
    private Directory current;
    private int linksFollowed;
    private boolean mustBeDirectory;

    private PathWalk(Directory root, Directory base, boolean refuseClimb) {
        this.root = root;
        this.base = base;
        this.refuseClimb = refuseClimb;
        current = base;
    }

    /// A guest's path, relative to an open directory.
    static Location below(Directory root, Directory base, String path, boolean follow) {
        if (path.startsWith("/")) {
            throw new FsError(Errno.NOTCAPABLE, "capabilities insufficient: the path is absolute");
        }
        if (base.links == 0) {
            throw new FsError(Errno.NOENT, "no such file or directory: the directory was removed");
        }
        return new PathWalk(root, base, true).walk(path, follow);
    }

    /// A path of the host, from the root.
    static Location fromRoot(Directory root, String path, boolean follow) {
        return new PathWalk(root, root, false).walk(path, follow);
    }

    static void checkLength(String path) {
        if (GuestNames.utf8Length(path) > Limits.PATH_BYTES_MAX) {
            throw new FsError(
                    Errno.NAMETOOLONG, "file name too long: a path is at most " + Limits.PATH_BYTES_MAX + " bytes");
        }
    }

    private Location walk(String path, boolean follow) {
        if (path.isEmpty()) {
            throw new FsError(Errno.NOENT, "no such file or directory: the path is empty");
        }
        checkLength(path);
        push(path);
        ownParts = pending.size();
        while (true) {
            String name = pending.pollFirst();
            if (name == null) {
                return new Location(current, "", current, true);
            }
            boolean own = pending.size() < ownParts;
            ownParts = Math.min(ownParts, pending.size());
            if (name.equals("..")) {
                climb(own);
                continue;
            }
            GuestNames.check(name);
            boolean last = pending.isEmpty();
            Node child = current.child(name);
            if (child instanceof Node.Link link && (!last || follow || mustBeDirectory)) {
                follow(link);
            } else if (last) {
                if (mustBeDirectory && child != null && !(child instanceof Directory)) {
                    throw new FsError(Errno.NOTDIR);
                }
                return new Location(current, name, child, mustBeDirectory);
            } else {
                current = descend(child);
            }
        }
    }

    private void climb(boolean own) {
        if (current != base) {
            current = current.parent();
        } else if (base != root || (own && refuseClimb)) {
            throw new FsError(Errno.NOTCAPABLE, "capabilities insufficient: the path climbs out of its directory");
        }
    }

    private void follow(Node.Link link) {
        linksFollowed++;
        if (linksFollowed > Limits.SYMLINK_DEPTH_MAX) {
            throw new FsError(
                    Errno.LOOP,
                    "too many levels of symbolic links: a path goes through at most " + Limits.SYMLINK_DEPTH_MAX);
        }
        if (link.target.startsWith("/")) {
            if (base != root) {
                throw new FsError(Errno.NOTCAPABLE, "capabilities insufficient: a link leads out of the directory");
            }
            current = root;
        }
        push(link.target);
    }

    private static Directory descend(@Nullable Node child) {
        if (child == null) {
            throw new FsError(Errno.NOENT);
        }
        if (child instanceof Directory directory) {
            return directory;
        }
        throw new FsError(Errno.NOTDIR);
    }

    /// Puts the parts of `path` before those that are pending.
    private void push(String path) {
        if (pending.isEmpty()) {
            mustBeDirectory |= path.endsWith("/") || path.endsWith("/.") || path.equals(".");
        }
        for (String part : List.of(path.split("/", -1)).reversed()) {
            if (!part.isEmpty() && !part.equals(".")) {
                pending.addFirst(part);
            }
        }
    }
}
