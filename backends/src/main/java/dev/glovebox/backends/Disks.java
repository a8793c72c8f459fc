package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// Where the files of Linux sandboxes are: small ones in memory, which is the fastest, all others in a file system of
/// the
/// sandbox's own on the server's disk. What is promised is there: a disk that could not be filled to its bound is
/// refused, so that no sandbox fills the disk on which the server keeps its records. Thread-safe.
final class Disks {
    static final int BLOCK_BYTES = 4096;

    private static final Path CONTROL = Path.of("/dev/loop-control");
    /// Empty file systems that are kept though nobody uses one of their size.
    private static final int KEPT_MAX = 16;
    /// An inode of ext4; a disk has this for each file beside what it holds.
    private static final int INODE_BYTES = 256;
    /// Inodes that the file system uses itself, with room to spare.
    private static final int OWN_INODES = 64;
    /// What the file system itself takes at least, and of each part of its size.
    private static final long OWN_BYTES = 4L << 20;

    private static final int OWN_PART = 512;
    /// Below this the host's disk is not filled.
    private static final long RESERVE_BYTES = 1L << 30;

    /// A sandbox's disk, promised until it is released.
    ///
    /// @param image an empty file system of its size
    /// @param release to be called when the sandbox is gone; idempotent
    record Disk(Path image, Runnable release) {}

    private record Size(long bytes, long inodes) {}

    private static final class Empty {
        private final Path file;
        private int users;

        private Empty(Path file) {
            this.file = file;
        }
    }

    private final Path directory;
    private final Map<Size, Empty> empties = new LinkedHashMap<>();
    private long promised;

    /// @param directory for empty file systems, and for disks, which have no names there; made when it is needed
    Disks(Path directory) {
        this.directory = directory;
    }

    /// Why no sandbox gets a disk here, in words; empty if they do.
    static String missing() {
        if (DiskLauncher.program().isEmpty()) {
            return "there is no mkfs.ext4 (Debian: the package e2fsprogs)";
        }
        return Files.isWritable(CONTROL) ? "" : "there are no loop devices (" + CONTROL + ")";
    }

    /// A disk for one sandbox; empty if its files shall be in memory.
    ///
    /// @throws GloveboxException NO_SPACE if the host has not so much left, UNSUPPORTED if it can have no disks
    Optional<Disk> take(ResourceLimits limits) {
        if (fitsMemory(limits)) {
            return Optional.empty();
        }
        String missing = missing();
        if (!missing.isEmpty()) {
            if (limits.diskBytes() > Limits.DISK_BYTES_WITHOUT_DISKS_MAX) {
                throw new GloveboxException(
                        ErrorCode.UNSUPPORTED,
                        "disk of " + limits.diskBytes() + " bytes: more than " + Limits.DISK_BYTES_WITHOUT_DISKS_MAX
                                + " are not kept in memory, and this machine cannot make disks: " + missing);
            }
            return Optional.empty();
        }
        return Optional.of(make(size(limits)));
    }

    /// What a sandbox writes there is its memory too: there is room for both, or it is not there.
    private static boolean fitsMemory(ResourceLimits limits) {
        return limits.diskBytes() <= Limits.DISK_BYTES_IN_MEMORY_MAX && limits.diskBytes() <= limits.memoryBytes() / 2;
    }

    private static Size size(ResourceLimits limits) {
        long inodes = (long) limits.fileCount() + OWN_INODES;
        long whole = limits.diskBytes() + inodes * INODE_BYTES + OWN_BYTES + limits.diskBytes() / OWN_PART;
        return new Size((whole + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES, inodes);
    }

    private synchronized Disk make(Size size) {
        try {
            Files.createDirectories(directory);
            long free = Files.getFileStore(directory).getUsableSpace() - promised - RESERVE_BYTES;
            if (size.bytes > free) {
                throw new GloveboxException(
                        ErrorCode.NO_SPACE,
                        "disk of " + size.bytes + " bytes: the server's disk has " + Math.max(0, free)
                                + " that are not promised to other sandboxes: ask for less, or end some");
            }
            Empty empty = empties.get(size);
            if (empty == null) {
                empty = new Empty(format(size));
                empties.put(size, empty);
            }
            empty.users++;
            promised += size.bytes;
            AtomicBoolean released = new AtomicBoolean();
            return new Disk(empty.file, () -> {
                if (!released.getAndSet(true)) {
                    release(size);
                }
            });
        } catch (IOException failure) {
            throw new GloveboxException(
                    ErrorCode.INTERNAL, "a sandbox's disk cannot be made: " + failure.getMessage(), failure);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the caller went away");
        }
    }

    private Path format(Size size) throws IOException, InterruptedException {
        Path file = directory.resolve(size.bytes + "-" + size.inodes + ".ext4");
        Path unfinished = directory.resolve("unfinished.ext4");
        Files.deleteIfExists(unfinished);
        try (RandomAccessFile made = new RandomAccessFile(unfinished.toFile(), "rw")) {
            made.setLength(size.bytes);
        }
        DiskLauncher.format(DiskLauncher.program().orElseThrow(), unfinished, size.inodes);
        return Files.move(unfinished, file);
    }

    private synchronized void release(Size size) {
        promised -= size.bytes;
        Empty empty = empties.get(size);
        if (empty != null) {
            empty.users--;
        }
        Iterator<Empty> each = empties.values().iterator();
        while (empties.size() > KEPT_MAX && each.hasNext()) {
            Empty next = each.next();
            if (next.users == 0) {
                each.remove();
                // If it cannot be removed now it is with the directory.
                boolean _ = next.file.toFile().delete();
            }
        }
    }
}
