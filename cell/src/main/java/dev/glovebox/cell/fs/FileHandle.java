package dev.glovebox.cell.fs;

import java.nio.ByteBuffer;
import java.util.List;

/// An open file or directory. It keeps the node alive, and counted in the quota, until it is closed, whatever
/// happens to its name. It has no position of its own. Thread-safe.
public final class FileHandle implements AutoCloseable {
    /// What one read of a device gives at most: enough for any seed, and soon over.
    private static final int DEVICE_BYTES_MAX = 64 * 1024;

    /// What is allocated while the lock is held once.
    private static final long ALLOCATE_BYTES = 16 * 1024 * 1024;

    private final MemoryFileSystem files;
    private final Node node;
    private boolean closed;

    /// The file system's lock is held.
    FileHandle(MemoryFileSystem files, Node node) {
        this.files = files;
        this.node = node;
        node.handles++;
    }

    public boolean isDirectory() {
        return node instanceof Directory;
    }

    public Attributes attributes() {
        return files.locked(node::attributes);
    }

    /// Reads at most `target.remaining()` bytes from `offset` on. Returns how many; 0 at the end, or past it.
    public int read(long offset, ByteBuffer target) {
        if (offset < 0) {
            throw new FsError(Errno.INVAL, "invalid argument: an offset is not negative");
        }
        return switch (node) {
            case Node.Regular regular ->
                files.locked(() -> {
                    requireOpen();
                    return regular.content.read(offset, target);
                });
            case Node.Shared shared -> readShared(shared.content, offset, target);
            case Node.Device device -> readDevice(device.kind, target);
            case Directory _ -> throw new FsError(Errno.ISDIR);
            case Node.Link _ -> throw new FsError(Errno.INVAL);
        };
    }

    /// Writes `source` at `offset`: all of it, or less if the quota ends within it. Returns how much.
    public int write(long offset, ByteBuffer source) {
        return switch (node) {
            case Node.Regular regular -> files.locked(() -> writeRegular(regular, offset, source));
            case Node.Device _ -> {
                int length = source.remaining();
                source.position(source.limit());
                yield length;
            }
            case Node.Shared _ -> throw new FsError(Errno.ROFS);
            case Directory _ -> throw new FsError(Errno.ISDIR);
            case Node.Link _ -> throw new FsError(Errno.INVAL);
        };
    }

    /// Writes `source` at the end of the file, wherever that is by then. Returns the offset after the last byte
    /// written.
    public long append(ByteBuffer source) {
        return files.locked(() -> {
            long end = node.size();
            return end + write(end, source);
        });
    }

    /// Cuts the file, or makes it longer by a hole.
    public void resize(long size) {
        files.runLocked(() -> {
            requireRegular().content.resize(size);
            touch();
        });
    }

    /// Takes from the quota what the range still needs, and makes the file at least that long.
    public void allocate(long offset, long length) {
        Content.checkRange(offset, length);
        long end = offset + length;
        for (long position = offset; position < end; position += ALLOCATE_BYTES) {
            long start = position;
            files.runLocked(() -> {
                requireRegular().content.allocate(start, Math.min(ALLOCATE_BYTES, end - start));
                touch();
            });
        }
    }

    public void setTimes(Times times) {
        files.runLocked(() -> {
            requireOpen();
            files.setTimes(node, times);
        });
    }

    /// The entries of a directory from `cookie` on, `.` and `..` first, at most `max`.
    public List<DirectoryEntry> list(long cookie, int max) {
        if (node instanceof Directory directory) {
            return files.locked(() -> directory.list(cookie, max));
        }
        throw new FsError(Errno.NOTDIR);
    }

    @Override
    public void close() {
        files.runLocked(() -> {
            if (!closed) {
                closed = true;
                files.release(node);
            }
        });
    }

    /// The directory that this handle holds, as the start of a path. The file system's lock is held.
    Directory directory() {
        requireOpen();
        if (node instanceof Directory directory) {
            return directory;
        }
        throw new FsError(Errno.NOTDIR);
    }

    /// The file system's lock is held.
    Node node() {
        requireOpen();
        return node;
    }

    private int writeRegular(Node.Regular regular, long offset, ByteBuffer source) {
        requireOpen();
        int written = regular.content.write(offset, source);
        touch();
        return written;
    }

    private static int readShared(ByteBuffer content, long offset, ByteBuffer target) {
        int length = (int) Math.clamp(content.limit() - offset, 0L, target.remaining());
        if (length > 0) {
            target.put(target.position(), content, (int) offset, length);
            target.position(target.position() + length);
        }
        return length;
    }

    private int readDevice(Node.Device.Kind kind, ByteBuffer target) {
        return switch (kind) {
            case NULL -> 0;
            case ZERO -> {
                int length = Math.min(target.remaining(), DEVICE_BYTES_MAX);
                target.put(new byte[length]);
                yield length;
            }
            case RANDOM -> {
                byte[] bytes = new byte[Math.min(target.remaining(), DEVICE_BYTES_MAX)];
                files.random().nextBytes(bytes);
                target.put(bytes);
                yield bytes.length;
            }
        };
    }

    private Node.Regular requireRegular() {
        requireOpen();
        return switch (node) {
            case Node.Regular regular -> regular;
            case Directory _ -> throw new FsError(Errno.ISDIR);
            case Node.Shared _ -> throw new FsError(Errno.ROFS);
            case Node.Device _, Node.Link _ -> throw new FsError(Errno.INVAL);
        };
    }

    private void touch() {
        node.modifiedNanos = files.nowNanos();
        node.changedNanos = node.modifiedNanos;
    }

    private void requireOpen() {
        if (closed) {
            throw new FsError(Errno.BADF);
        }
    }
}
