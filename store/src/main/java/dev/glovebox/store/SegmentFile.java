package dev.glovebox.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The segment that is appended to. It goes through [RandomAccessFile] and [AsynchronousFileChannel] because
/// neither is closed by an interrupt of the thread that calls it, as a FileChannel is: an agent that cancels
/// its request must not shut the log. One thread at a time, but for [#force], which may run beside an append.
class SegmentFile implements AutoCloseable {
    /// How a log opens its segments; tests put in files that fail.
    @FunctionalInterface
    interface Opener {
        SegmentFile open(AuditFormat.Segment segment) throws IOException;
    }

    private final AuditFormat.Segment segment;
    private final RandomAccessFile file;
    private final AsynchronousFileChannel disk;

    /// Opens a segment; makes it if it is missing.
    SegmentFile(AuditFormat.Segment segment) throws IOException {
        this.segment = segment;
        PrivateFiles.createIfAbsent(segment.path());
        this.file = new RandomAccessFile(segment.path().toFile(), "rw");
        try {
            this.disk = AsynchronousFileChannel.open(segment.path(), StandardOpenOption.WRITE);
        } catch (IOException failure) {
            file.close();
            throw failure;
        }
    }

    int number() {
        return segment.number();
    }

    Path path() {
        return segment.path();
    }

    long length() throws IOException {
        return file.length();
    }

    void append(byte[] bytes, long position) throws IOException {
        file.seek(position);
        file.write(bytes);
    }

    void truncate(long length) throws IOException {
        file.setLength(length);
    }

    /// Puts on the disk what has been appended before the call: fdatasync.
    void force() throws IOException {
        disk.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
        disk.close();
    }
}
