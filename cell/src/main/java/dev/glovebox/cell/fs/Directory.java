package dev.glovebox.cell.fs;

import dev.glovebox.core.FileEntry;
import dev.glovebox.core.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A directory: names to nodes. Not thread-safe: the file system's lock guards it.
///
/// Every entry gets a number when it is made, higher than all before it, and the entries are walked in the order
/// of these numbers. So a listing that is interrupted and taken up again neither repeats nor misses an entry that
/// stayed.
final class Directory extends Node {
    /// The numbers 0 and 1 belong to `.` and `..`.
    private static final long FIRST_COOKIE = 2;

    /// One name in the directory.
    record Entry(String name, long cookie, Node node) {}

    private final Map<String, Entry> byName = new HashMap<>();
    private final TreeMap<Long, Entry> byCookie = new TreeMap<>();
    private long nextCookie = FIRST_COOKIE;
    /// The directory that this one is in; the root is in itself.
    private Directory parent = this;
    /// Bytes of this directory's name in its parent; 0 for the root.
    private int nameBytes;

    Directory(long id, int mode, long nowNanos) {
        super(id, mode, nowNanos);
    }

    @Override
    FileEntry.Type type() {
        return FileEntry.Type.DIRECTORY;
    }

    @Override
    long size() {
        return 0;
    }

    @Override
    void discard() {
        // A directory holds no bytes; its entries were removed before it.
    }

    Directory parent() {
        return parent;
    }

    boolean isEmpty() {
        return byName.isEmpty();
    }

    @Nullable
    Node child(String name) {
        Entry entry = byName.get(name);
        return entry == null ? null : entry.node();
    }

    Collection<Entry> entries() {
        return byCookie.values();
    }

    /// Adds an entry. The caller has checked that the name is free and that [#checkRoomFor] holds.
    void add(String name, Node node, long nowNanos) {
        Entry entry = new Entry(name, nextCookie++, node);
        byName.put(name, entry);
        byCookie.put(entry.cookie(), entry);
        if (node instanceof Directory directory) {
            directory.parent = this;
            directory.nameBytes = GuestNames.utf8Length(name);
        }
        modifiedNanos = nowNanos;
        changedNanos = nowNanos;
    }

    void remove(String name, long nowNanos) {
        Entry entry = byName.remove(name);
        if (entry != null) {
            byCookie.remove(entry.cookie());
        }
        modifiedNanos = nowNanos;
        changedNanos = nowNanos;
    }

    /// At most `max` entries, from `cookie` on.
    List<DirectoryEntry> list(long cookie, int max) {
        List<DirectoryEntry> result = new ArrayList<>();
        if (cookie == 0 && result.size() < max) {
            result.add(new DirectoryEntry(".", 0, id, type()));
        }
        if (cookie <= 1 && result.size() < max) {
            result.add(new DirectoryEntry("..", 1, parent.id, type()));
        }
        for (Entry entry : byCookie.tailMap(cookie).values()) {
            if (result.size() >= max) {
                break;
            }
            result.add(new DirectoryEntry(
                    entry.name(), entry.cookie(), entry.node().id, entry.node().type()));
        }
        return result;
    }

    boolean isInside(Directory other) {
        Directory step = this;
        while (step != other && step != step.parent) {
            step = step.parent;
        }
        return step == other;
    }

    /// Refuses an entry that would lie too deep, or that no [dev.glovebox.core.GuestPath] could name: what a
    /// guest can make, the host must be able to reach and remove.
    void checkRoomFor(String name, @Nullable Node node) {
        Extent below = node instanceof Directory directory ? directory.extent() : new Extent(0, 0);
        int depth = 1 + below.depth();
        int bytes = 1 + GuestNames.utf8Length(name) + below.pathBytes();
        for (Directory step = this; step != step.parent; step = step.parent) {
            depth++;
            bytes += 1 + step.nameBytes;
        }
        if (depth > Limits.DIRECTORY_DEPTH_MAX) {
            throw new FsError(
                    Errno.NAMETOOLONG,
                    "file name too long: directories nest at most " + Limits.DIRECTORY_DEPTH_MAX + " deep");
        }
        if (bytes > Limits.PATH_BYTES_MAX) {
            throw new FsError(
                    Errno.NAMETOOLONG,
                    "file name too long: a whole path is at most " + Limits.PATH_BYTES_MAX + " bytes");
        }
    }

    /// How far a tree reaches below its top.
    private record Extent(int depth, int pathBytes) {}

    private Extent extent() {
        record Place(Directory directory, int depth, int pathBytes) {}
        int depthMax = 0;
        int bytesMax = 0;
        Deque<Place> pending = new ArrayDeque<>();
        pending.push(new Place(this, 0, 0));
        while (!pending.isEmpty()) {
            Place place = pending.pop();
            for (Entry entry : place.directory().entries()) {
                int depth = place.depth() + 1;
                int bytes = place.pathBytes() + 1 + GuestNames.utf8Length(entry.name());
                depthMax = Math.max(depthMax, depth);
                bytesMax = Math.max(bytesMax, bytes);
                if (entry.node() instanceof Directory child) {
                    pending.push(new Place(child, depth, bytes));
                }
            }
        }
        return new Extent(depthMax, bytesMax);
    }
}
