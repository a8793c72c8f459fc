package dev.glovebox.cell.fs;

import dev.glovebox.core.FileEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// A file of any kind, apart from its name. Not thread-safe: the file system's lock guards every node.
abstract sealed class Node permits Directory, Node.Regular, Node.Link, Node.Shared, Node.Device {
    /// What `stat` calls the inode number: unique in its file system and never used again.
    final long id;

    int mode;
    long accessedNanos;
    long modifiedNanos;
    long changedNanos;
    /// Directory entries that name this node. The root has one from nobody.
    int links;
    /// Handles that hold this node; it lives until the last of them is closed.
    int handles;
    /// Whether the quota counts this node although no directory entry names it.
    boolean countedWithoutName;
    /// Part of the sandbox itself: never removed, moved or replaced, and not counted.
    boolean fixed;

    Node(long id, int mode, long nowNanos) {
        this.id = id;
        this.mode = mode;
        accessedNanos = nowNanos;
        modifiedNanos = nowNanos;
        changedNanos = nowNanos;
    }

    abstract FileEntry.Type type();

    abstract long size();

    /// Gives back to the quota what the node holds. Nobody reaches the node any more.
    abstract void discard();

    final Attributes attributes() {
        return new Attributes(id, type(), size(), mode, links, accessedNanos, modifiedNanos, changedNanos);
    }

    /// A file with content of its own.
    static final class Regular extends Node {
        final Content content;

        Regular(long id, int mode, long nowNanos, Quota quota) {
            super(id, mode, nowNanos);
            content = new Content(quota);
        }

        @Override
        FileEntry.Type type() {
            return FileEntry.Type.FILE;
        }

        @Override
        long size() {
            return content.size();
        }

        @Override
        void discard() {
            content.discard();
        }
    }

    /// A symbolic link. The bytes of its target count, or ten thousand links would be forty free megabytes.
    static final class Link extends Node {
        final String target;
        private final int targetBytes;
        private final Quota quota;

        Link(long id, long nowNanos, String target, Quota quota) {
            super(id, 0777, nowNanos);
            this.target = target;
            this.quota = quota;
            targetBytes = target.getBytes(StandardCharsets.UTF_8).length;
            quota.takeBytes(targetBytes);
        }

        @Override
        FileEntry.Type type() {
            return FileEntry.Type.SYMLINK;
        }

        @Override
        long size() {
            return targetBytes;
        }

        @Override
        void discard() {
            quota.giveBytes(targetBytes);
        }
    }

    /// A file whose content is one read-only buffer that all sandboxes of the cell share.
    static final class Shared extends Node {
        /// Only ever read at absolute positions, so that any number of threads may.
        final ByteBuffer content;

        Shared(long id, long nowNanos, ByteBuffer content) {
            super(id, 0444, nowNanos);
            this.content = content;
            fixed = true;
        }

        @Override
        FileEntry.Type type() {
            return FileEntry.Type.FILE;
        }

        @Override
        long size() {
            return content.limit();
        }

        @Override
        void discard() {
            throw new AssertionError("a shared file is never removed");
        }
    }

    /// A character device.
    static final class Device extends Node {
        enum Kind {
            NULL,
            ZERO,
            RANDOM
        }

        final Kind kind;

        Device(long id, long nowNanos, Kind kind) {
            super(id, 0666, nowNanos);
            this.kind = kind;
            fixed = true;
        }

        @Override
        FileEntry.Type type() {
            return FileEntry.Type.OTHER;
        }

        @Override
        long size() {
            return 0;
        }

        @Override
        void discard() {
            throw new AssertionError("a device is never removed");
        }
    }
}
