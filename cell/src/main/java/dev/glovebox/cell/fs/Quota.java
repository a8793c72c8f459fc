package dev.glovebox.cell.fs;

/// What the files of one sandbox may use and do use. Not thread-safe: the file system's lock guards it.
///
/// Bytes are those of allocated chunks and of link targets, so a hole costs nothing until somebody writes into
/// it. Files are directory entries, and unlinked files that are still open.
final class Quota {
    /// What an empty file or an entry costs in the heap, roughly.
    private static final int FILE_OVERHEAD_BYTES = 512;

    private final Budget budget;
    private long bytesMax;
    private int filesMax;
    private long bytesUsed;
    private int filesUsed;
    private boolean released;

    /// @param budget what all file systems of the process share
    Quota(long bytesMax, int filesMax, Budget budget) {
        this.bytesMax = bytesMax;
        this.filesMax = filesMax;
        this.budget = budget;
    }

    /// Sets new bounds. Bounds below what is used take nothing away; they only refuse more.
    void limit(long newBytesMax, int newFilesMax) {
        bytesMax = newBytesMax;
        filesMax = newFilesMax;
    }

    long bytesUsed() {
        return bytesUsed;
    }

    int filesUsed() {
        return filesUsed;
    }

    void takeBytes(long bytes) {
        if (bytes > bytesMax - bytesUsed) {
            throw new FsError(
                    Errno.NOSPC,
                    "no space left: " + bytes + " bytes more than the " + bytesUsed
                            + " in use would pass the sandbox's bound of " + bytesMax);
        }
        takeFromBudget(bytes);
        bytesUsed += bytes;
    }

    void giveBytes(long bytes) {
        bytesUsed -= bytes;
        giveToBudget(bytes);
    }

    void takeFile() {
        if (filesUsed >= filesMax) {
            throw new FsError(Errno.NOSPC, "no space left: the sandbox's bound of " + filesMax + " files is reached");
        }
        takeFromBudget(FILE_OVERHEAD_BYTES);
        filesUsed++;
    }

    void giveFile() {
        filesUsed--;
        giveToBudget(FILE_OVERHEAD_BYTES);
    }

    /// Gives everything back to the budget, once: the sandbox is gone, and its files with it.
    void release() {
        if (!released) {
            giveToBudget(bytesUsed + (long) filesUsed * FILE_OVERHEAD_BYTES);
            released = true;
        }
    }

    private void takeFromBudget(long bytes) {
        if (released || !budget.take(bytes)) {
            throw new FsError(
                    Errno.NOSPC,
                    "no space left: the files of all sandboxes of this tenant would pass the bound of their cell, "
                            + budget.max() + " bytes");
        }
    }

    private void giveToBudget(long bytes) {
        if (!released) {
            budget.give(bytes);
        }
    }
}
