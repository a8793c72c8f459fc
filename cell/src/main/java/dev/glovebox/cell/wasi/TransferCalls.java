package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import java.nio.ByteBuffer;

/// The `fd_*` functions that read, write, seek in and resize content.
final class TransferCalls {
    private static final int STREAM_BUFFER_BYTES = 64 * 1024;
    private static final int WHENCE_SET = 0;
    private static final int WHENCE_CURRENT = 1;
    private static final int WHENCE_END = 2;

    private final GuestMemory memory;
    private final DescriptorTable descriptors;
    /// Between the guest's memory and a stream, which takes arrays. It grows to what is needed, at most
    /// [#STREAM_BUFFER_BYTES].
    private byte[] streamBuffer = {};

    TransferCalls(GuestMemory memory, DescriptorTable descriptors) {
        this.memory = memory;
        this.descriptors = descriptors;
    }

    void fdRead(int fd, int vectorsPointer, int vectorsCount, int resultPointer) {
        Descriptor descriptor = descriptors.get(fd);
        if (descriptor instanceof Descriptor.OpenDirectory) {
            throw new FsError(Errno.ISDIR);
        }
        descriptor.require(Rights.FD_READ);
        memory.check(resultPointer, 4);
        IoVectors vectors = IoVectors.read(memory, vectorsPointer, vectorsCount);
        int count = switch (descriptor) {
            case Descriptor.Input input -> readStream(input.source, vectors);
            case Descriptor.Connected connection -> readStream(connection.source, vectors);
            case Descriptor.OpenFile file -> {
                int read = readFile(file, file.position, vectors);
                file.position += read;
                yield read;
            }
            case Descriptor.Output _, Descriptor.OpenDirectory _ -> throw new FsError(Errno.BADF);
        };
        memory.putInt(resultPointer, count);
    }

    void fdPread(int fd, int vectorsPointer, int vectorsCount, long offset, int resultPointer) {
        Descriptor.OpenFile file = descriptors.file(fd);
        file.require(Rights.FD_READ | Rights.FD_SEEK);
        memory.check(resultPointer, 4);
        IoVectors vectors = IoVectors.read(memory, vectorsPointer, vectorsCount);
        memory.putInt(resultPointer, readFile(file, requireOffset(offset), vectors));
    }

    void fdWrite(int fd, int vectorsPointer, int vectorsCount, int resultPointer) {
        Descriptor descriptor = descriptors.get(fd);
        if (descriptor instanceof Descriptor.OpenDirectory) {
            throw new FsError(Errno.ISDIR);
        }
        descriptor.require(Rights.FD_WRITE);
        memory.check(resultPointer, 4);
        IoVectors vectors = IoVectors.read(memory, vectorsPointer, vectorsCount);
        int count = switch (descriptor) {
            case Descriptor.Output output -> writeStream(output.sink, vectors);
            case Descriptor.Connected connection -> writeStream(connection.sink, vectors);
            case Descriptor.OpenFile file when (file.flags & Descriptor.FLAG_APPEND) != 0 -> appendFile(file, vectors);
            case Descriptor.OpenFile file -> {
                int written = writeFile(file, file.position, vectors);
                file.position += written;
                yield written;
            }
            case Descriptor.Input _, Descriptor.OpenDirectory _ -> throw new FsError(Errno.BADF);
        };
        memory.putInt(resultPointer, count);
    }

    void fdPwrite(int fd, int vectorsPointer, int vectorsCount, long offset, int resultPointer) {
        Descriptor.OpenFile file = descriptors.file(fd);
        file.require(Rights.FD_WRITE | Rights.FD_SEEK);
        memory.check(resultPointer, 4);
        IoVectors vectors = IoVectors.read(memory, vectorsPointer, vectorsCount);
        memory.putInt(resultPointer, writeFile(file, requireOffset(offset), vectors));
    }

    void fdSeek(int fd, long delta, int whence, int resultPointer) {
        Descriptor.OpenFile file = descriptors.file(fd);
        // To ask where one is takes only the right to tell.
        file.require(delta == 0 && whence == WHENCE_CURRENT ? Rights.FD_TELL : Rights.FD_SEEK);
        memory.check(resultPointer, 8);
        long base = switch (whence) {
            case WHENCE_SET -> 0;
            case WHENCE_CURRENT -> file.position;
            case WHENCE_END -> file.handle.attributes().size();
            default -> throw new FsError(Errno.INVAL);
        };
        // Both are below 2^63 and the base is not negative, so a sum that overflows is negative.
        file.position = requireOffset(base + delta);
        memory.putLong(resultPointer, file.position);
    }

    void fdTell(int fd, int resultPointer) {
        Descriptor.OpenFile file = descriptors.file(fd);
        file.require(Rights.FD_TELL);
        memory.putLong(resultPointer, file.position);
    }

    void fdAllocate(int fd, long offset, long length) {
        Descriptor.OpenFile file = descriptors.file(fd);
        file.require(Rights.FD_ALLOCATE);
        if (length <= 0) {
            throw new FsError(Errno.INVAL);
        }
        file.handle.allocate(requireOffset(offset), length);
    }

    void fdFilestatSetSize(int fd, long size) {
        Descriptor.OpenFile file = descriptors.file(fd);
        file.require(Rights.FD_FILESTAT_SET_SIZE);
        file.handle.resize(requireOffset(size));
    }

    private static int readFile(Descriptor.OpenFile file, long offset, IoVectors vectors) {
        int total = 0;
        for (int i = 0; i < vectors.count(); i++) {
            ByteBuffer buffer = vectors.buffer(i);
            total += file.handle.read(offset + total, buffer);
            if (buffer.hasRemaining()) {
                break;
            }
        }
        return total;
    }

    private static int writeFile(Descriptor.OpenFile file, long offset, IoVectors vectors) {
        int total = 0;
        for (int i = 0; i < vectors.count(); i++) {
            ByteBuffer buffer = vectors.buffer(i);
            try {
                total += file.handle.write(offset + total, buffer);
            } catch (FsError error) {
                if (total > 0) {
                    break;
                }
                throw error;
            }
            if (buffer.hasRemaining()) {
                break;
            }
        }
        return total;
    }

    private static int appendFile(Descriptor.OpenFile file, IoVectors vectors) {
        int total = 0;
        for (int i = 0; i < vectors.count(); i++) {
            ByteBuffer buffer = vectors.buffer(i);
            int length = buffer.remaining();
            try {
                file.position = file.handle.append(buffer);
            } catch (FsError error) {
                if (total > 0) {
                    break;
                }
                throw error;
            }
            total += length - buffer.remaining();
            if (buffer.hasRemaining()) {
                break;
            }
        }
        return total;
    }

    /// One read of the stream, shared out over the buffers: more might have to wait.
    private int readStream(GuestInput source, IoVectors vectors) {
        int wanted = Math.min(vectors.total(), STREAM_BUFFER_BYTES);
        if (wanted == 0) {
            return 0;
        }
        byte[] bytes = streamBuffer(wanted);
        int count = Math.clamp(source.read(bytes, 0, wanted), 0, wanted);
        int done = 0;
        for (int i = 0; i < vectors.count() && done < count; i++) {
            ByteBuffer buffer = vectors.buffer(i);
            int part = Math.min(buffer.remaining(), count - done);
            buffer.put(bytes, done, part);
            done += part;
        }
        return count;
    }

    /// Gathers the buffers, so that what the guest wrote at once arrives at once, up to the size of ours.
    private int writeStream(GuestOutput sink, IoVectors vectors) {
        byte[] bytes = streamBuffer(Math.min(vectors.total(), STREAM_BUFFER_BYTES));
        int filled = 0;
        for (int i = 0; i < vectors.count(); i++) {
            ByteBuffer buffer = vectors.buffer(i);
            while (buffer.hasRemaining()) {
                if (filled == STREAM_BUFFER_BYTES) {
                    sink.write(bytes, 0, filled);
                    filled = 0;
                }
                int part = Math.min(buffer.remaining(), Math.min(bytes.length, STREAM_BUFFER_BYTES) - filled);
                buffer.get(bytes, filled, part);
                filled += part;
            }
        }
        if (filled > 0) {
            sink.write(bytes, 0, filled);
        }
        return vectors.total();
    }

    private byte[] streamBuffer(int length) {
        if (streamBuffer.length < length) {
            streamBuffer = new byte[length];
        }
        return streamBuffer;
    }

    private static long requireOffset(long offset) {
        if (offset < 0) {
            throw new FsError(Errno.INVAL);
        }
        return offset;
    }
}
