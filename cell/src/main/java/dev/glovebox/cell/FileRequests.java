package dev.glovebox.cell;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FileHandle;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.cell.fs.HostFiles;
import dev.glovebox.cell.fs.MemoryFileSystem;
import dev.glovebox.cell.fs.WriteOptions;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;

/// The requests about files. They go on while a guest runs, and need no place on a processor.
final class FileRequests {
    private static final int CHUNK_BYTES = 32 * 1024;
    private static final int PERMISSION_BITS = 07777;

    private final FrameSocket socket;
    private final MemoryFileSystem fileSystem;
    private final HostFiles files;
    private final IntConsumer forget;

    /// @param forget takes a channel out of the connection's list
    FileRequests(FrameSocket socket, MemoryFileSystem fileSystem, IntConsumer forget) {
        this.socket = socket;
        this.fileSystem = fileSystem;
        files = new HostFiles(fileSystem);
        this.forget = forget;
    }

    /// STAT, MAKE_DIRECTORY, MOVE and REMOVE: done at once. Returns the fields of CLOSE.
    Fields.Builder change(RequestKind kind, Fields fields) {
        GuestPath path = path(fields, Tag.PATH);
        return switch (kind) {
            case STAT -> entry(files.stat(path));
            case MAKE_DIRECTORY -> {
                boolean parents = fields.flag(Tag.RECURSIVE);
                boolean made = files.makeDirectory(path, parents);
                if (!made && !parents) {
                    throw new FsError(Errno.EXIST);
                }
                yield entry(files.stat(path));
            }
            case MOVE -> {
                GuestPath target = path(fields, Tag.TARGET_PATH);
                if (fields.flag(Tag.RECURSIVE)) {
                    files.stat(path);
                    files.makeDirectory(GuestPath.resolve(target, ".."), true);
                }
                files.move(path, target);
                yield entry(files.stat(target));
            }
            case REMOVE -> {
                files.remove(path, fields.flag(Tag.RECURSIVE));
                yield Fields.builder();
            }
            default -> throw new IllegalArgumentException("not a request of this kind: " + kind);
        };
    }

    /// READ: content on stream 4, by a thread of its own, as far as the host's credit goes.
    void read(int channel, Fields fields, BiConsumer<Integer, Channel> add) {
        GuestPath path = path(fields, Tag.PATH);
        long from = fields.number(Tag.OFFSET, 0);
        long length = fields.number(Tag.LENGTH, Long.MAX_VALUE);
        FileHandle handle = files.open(path);
        Outgoing outgoing = new Outgoing(channel);
        add.accept(channel, outgoing);
        outgoing.start(output -> {
            try (handle) {
                byte[] bytes = new byte[CHUNK_BYTES];
                long done = 0;
                while (done < length && !outgoing.isCancelled()) {
                    ByteBuffer chunk = ByteBuffer.wrap(bytes, 0, (int) Math.min(bytes.length, length - done));
                    int count = handle.read(from + done, chunk);
                    if (count == 0) {
                        break;
                    }
                    output.write(Protocol.CONTENT, bytes, 0, count);
                    done += count;
                }
                return Fields.builder()
                        .number(Tag.FILE_SIZE, handle.attributes().size());
            }
        });
    }

    /// LIST: one record for each entry.
    void list(int channel, Fields fields, BiConsumer<Integer, Channel> add) {
        GuestPath path = path(fields, Tag.PATH);
        int depth = Math.clamp(fields.number(Tag.DEPTH, 1), 1, Limits.DIRECTORY_DEPTH_MAX);
        Outgoing outgoing = new Outgoing(channel);
        add.accept(channel, outgoing);
        outgoing.start(output -> {
            files.list(path, depth, found -> output.record(entry(found).build()));
            return Fields.builder();
        });
    }

    /// WRITE: takes stream 4 until END.
    void write(int channel, Fields fields, BiConsumer<Integer, Channel> add) {
        GuestPath path = path(fields, Tag.PATH);
        if (fields.has(Tag.XATTR_NAME)) {
            throw new GloveboxException(
                    ErrorCode.UNSUPPORTED,
                    "a cell's files have no extended attributes; tiers that do are gvisor and jail");
        }
        int mode = fields.number(Tag.FILE_MODE)
                .map(bits -> (int) (bits & PERMISSION_BITS))
                .orElse(WriteOptions.MODE_KEEP);
        WriteOptions options = new WriteOptions(mode, fields.flag(Tag.RECURSIVE));
        FileUpload upload = fields.has(Tag.OFFSET)
                ? FileUpload.at(fileSystem, path, fields.requiredNumber(Tag.OFFSET))
                : FileUpload.whole(files.replace(path, options));
        add.accept(channel, new Incoming(channel, path, upload));
    }

    private static GuestPath path(Fields fields, Tag tag) {
        return new GuestPath(fields.requiredText(tag));
    }

    private static Fields.Builder entry(FileEntry entry) {
        Fields.Builder fields = Fields.builder()
                .text(Tag.PATH, entry.path())
                .number(Tag.FILE_TYPE, FileTypes.code(entry.type()))
                .number(Tag.FILE_SIZE, entry.sizeBytes())
                .number(Tag.FILE_MODE, entry.mode())
                .number(Tag.FILE_MODIFIED, Math.max(0, entry.modified().toEpochMilli() * 1000));
        if (entry.type() == FileEntry.Type.SYMLINK) {
            fields.text(Tag.LINK_TARGET, entry.linkTarget());
        }
        return fields;
    }

    private static Fields closing(Status status, String message) {
        return Fields.builder()
                .number(Tag.STATUS, status.code())
                .text(Tag.MESSAGE, message)
                .build();
    }

    /// What a thread of a request does with its channel's output; returns the fields of CLOSE.
    private interface Sending {
        Fields.Builder send(ChannelOutput output);
    }

    /// A request that sends.
    private final class Outgoing implements Channel {
        private final int channel;
        private final ChannelOutput output;
        private volatile boolean cancelled;

        Outgoing(int channel) {
            this.channel = channel;
            output = new ChannelOutput(socket, channel, Runnable::run);
        }

        boolean isCancelled() {
            return cancelled;
        }

        void start(Sending sending) {
            Thread.ofVirtual().name("file").start(() -> {
                Fields close;
                try {
                    Fields.Builder fields = sending.send(output);
                    output.drain();
                    close = cancelled
                            ? closing(Status.CANCELLED, "cancelled by the host")
                            : fields.number(Tag.STATUS, Status.OK.code()).build();
                } catch (FsError e) {
                    close = closing(Statuses.of(e.errno()), Statuses.words(e));
                }
                forget.accept(channel);
                output.finish(close);
            });
        }

        @Override
        public void credit(int stream, int bytes) {
            output.grant(stream, bytes);
        }

        @Override
        public void cancel() {
            cancelled = true;
            output.seal();
        }
    }

    /// A request that receives.
    private final class Incoming implements Channel {
        private final int channel;
        private final GuestPath path;
        private final FileUpload upload;
        private final AtomicBoolean over = new AtomicBoolean();

        Incoming(int channel, GuestPath path, FileUpload upload) {
            this.channel = channel;
            this.path = path;
            this.upload = upload;
        }

        @Override
        public void data(int stream, byte[] bytes) {
            require(stream);
            try {
                upload.append(ByteBuffer.wrap(bytes));
                ChannelIo.grant(socket, channel, Protocol.CONTENT, bytes.length);
            } catch (FsError e) {
                finish(closing(Statuses.of(e.errno()), Statuses.words(e)));
            }
        }

        @Override
        public void end(int stream) {
            require(stream);
            try {
                upload.commit();
                finish(entry(files.stat(path))
                        .number(Tag.STATUS, Status.OK.code())
                        .build());
            } catch (FsError e) {
                finish(closing(Statuses.of(e.errno()), Statuses.words(e)));
            }
        }

        private static void require(int stream) {
            if (stream != Protocol.CONTENT) {
                throw new ProtocolException("content comes on stream 4, not " + stream);
            }
        }

        private void finish(Fields close) {
            if (over.compareAndSet(false, true)) {
                upload.close();
                forget.accept(channel);
                socket.send(new Frame(FrameType.CLOSE, 0, channel, close.encode()));
            }
        }

        @Override
        public void cancel() {
            finish(closing(Status.CANCELLED, "cancelled by the host"));
        }
    }
}
