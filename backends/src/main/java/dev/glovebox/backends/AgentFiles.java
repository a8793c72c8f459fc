package dev.glovebox.backends;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import dev.glovebox.core.WatchSink;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// The files of a sandbox, through its agent. Thread-safe.
final class AgentFiles {
    /// A listing is held in memory as a whole, and a guest can give its files paths of 4 KiB.
    private static final int LISTING_BYTES_MAX = 32 * 1024 * 1024;
    /// An entry of a listing: two paths, some numbers and the extended attributes that an agent tells.
    private static final int ENTRY_BYTES_MAX = 64 * 1024;
    /// Nothing may happen in a directory for as long as the sandbox lives.
    private static final Duration WATCH_MAX = Limits.LEASE_MAX.multipliedBy(2);

    private final AgentRequests requests;

    AgentFiles(AgentRequests requests) {
        this.requests = requests;
    }

    FileEntry stat(GuestPath path, FileAccess access) {
        return requests.call(
                RequestKind.STAT,
                Requests.file(path, access).flag(Tag.XATTRS, true).build(),
                Outcomes::file);
    }

    List<FileEntry> list(GuestPath path, FileAccess access, int depth) {
        Fields fields = Requests.file(path, access)
                .number(Tag.DEPTH, depth)
                .flag(Tag.XATTRS, true)
                .build();
        List<FileEntry> entries = new ArrayList<>();
        RecordReader records = new RecordReader(ENTRY_BYTES_MAX);
        return requests.exchange(RequestKind.LIST, fields, channel -> {
            AgentRequests.Stream content = new AgentRequests.Stream(
                    Protocol.RECORDS,
                    LISTING_BYTES_MAX,
                    bytes -> records.read(bytes, entry -> entries.add(Outcomes.file(entry))));
            AgentRequests.awaitClose(channel, content, patience());
            return entries;
        });
    }

    FileEntry read(GuestPath path, FileAccess access, long offset, long length, ByteSink content) {
        FileEntry entry = stat(path, access);
        Fields.Builder fields = Requests.file(path, access);
        if (offset > 0) {
            fields.number(Tag.OFFSET, offset);
        }
        if (length >= 0) {
            fields.number(Tag.LENGTH, length);
        }
        return requests.exchange(RequestKind.READ, fields.build(), channel -> {
            channel.expectBulk(Protocol.CONTENT);
            AgentRequests.awaitClose(
                    channel, new AgentRequests.Stream(Protocol.CONTENT, Limits.FILE_BYTES_MAX, content), patience());
            return entry;
        });
    }

    FileEntry write(GuestPath path, FileAccess access, Map<String, String> attributes, ByteSource content) {
        Fields.Builder fields = made(path, access);
        attributes.forEach((name, value) ->
                fields.text(Tag.XATTR_NAME, name).bytes(Tag.XATTR_VALUE, value.getBytes(StandardCharsets.UTF_8)));
        return requests.exchange(RequestKind.WRITE, fields.build(), channel -> {
            if (writeAll(channel, content)) {
                channel.end(Protocol.CONTENT);
            }
            return Outcomes.file(AgentRequests.awaitClose(channel, patience()));
        });
    }

    private boolean writeAll(AgentChannel channel, ByteSource content) throws InterruptedException {
        while (true) {
            FrameBuffer frame = FrameBuffer.take();
            if (content.read(frame.payload()) < 0) {
                frame.release();
                return true;
            }
            if (!channel.give(Protocol.CONTENT, frame, patience())) {
                return false;
            }
        }
    }

    FileEntry makeDirectory(GuestPath path, FileAccess access) {
        return requests.call(RequestKind.MAKE_DIRECTORY, made(path, access).build(), Outcomes::file);
    }

    FileEntry move(GuestPath from, FileAccess access, GuestPath to) {
        Fields fields = made(from, access).text(Tag.TARGET_PATH, to.value()).build();
        return requests.call(RequestKind.MOVE, fields, Outcomes::file);
    }

    void remove(GuestPath path, FileAccess access) {
        Fields fields = Requests.file(path, access).flag(Tag.RECURSIVE, true).build();
        requests.call(RequestKind.REMOVE, fields, Function.identity());
    }

    void watch(GuestPath path, FileAccess access, boolean recursive, WatchSink sink) {
        Fields fields =
                Requests.file(path, access).flag(Tag.RECURSIVE, recursive).build();
        RecordReader records = new RecordReader(ENTRY_BYTES_MAX);
        requests.exchange(RequestKind.WATCH, fields, channel -> {
            AgentRequests.Stream events = new AgentRequests.Stream(
                    Protocol.RECORDS,
                    Long.MAX_VALUE / 2,
                    bytes -> records.read(bytes, event -> WatchRecords.tell(event, sink)));
            return AgentRequests.awaitClose(channel, events, WATCH_MAX);
        });
    }

    /// A request that makes something, and its missing parents with it.
    private static Fields.Builder made(GuestPath path, FileAccess access) {
        Fields.Builder fields =
                Requests.file(path, access).flag(Tag.RECURSIVE, true).flag(Tag.XATTRS, true);
        access.owner().ifPresent(owner -> fields.text(Tag.FILE_OWNER, owner.name()));
        return fields;
    }

    private Duration patience() {
        return requests.patience().request();
    }
}
