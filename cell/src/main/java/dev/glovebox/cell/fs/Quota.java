package dev.glovebox.cell.fs;

/// What the files of one sandbox may use and do use. Not thread-safe: the file system's lock guards it.
///
/// Bytes are those of allocated chunks and of link targets, so a hole costs nothing until somebody writes into
/// it. Files are directory entries, and unlinked files that are still open.
final class Quota {
    private long bytesMax;
    private int filesMax;
    private long bytesUsed;
    private int filesUsed;

    Quota(long bytesMax, int filesMax) {
        this.bytesMax = bytesMax;
        this.filesMax = filesMax;
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
        bytesUsed += bytes;
    }

    void giveBytes(long bytes) {
        bytesUsed -= bytes;
    }

    void takeFile() {
        if (filesUsed >= filesMax) {
            throw new FsError(Errno.NOSPC, "no space left: the sandbox's bound of " + filesMax + " files is reached");
        }
        filesUsed++;
    }

    void giveFile() {
        filesUsed--;
    }
}
