package dev.glovebox.backends;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.ByteSource;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import dev.glovebox.core.WatchSink;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/// The files of a sandbox, through its agent. Thread-safe.
final class AgentFiles {
    /// A listing is held in memory as a whole, and a guest can give its files paths of 4 KiB.
    private static final int LISTING_BYTES_MAX = 32 * 1024 * 1024;
    /// An entry of a listing: two paths, some numbers and the extended attributes that an agent tells.
    private static final int ENTRY_BYTES_MAX = 64 * 1024;
    /// Nothing may happen in a directory for as long as the sandbox lives.
    private static final Duration WATCH_MAX = Limits.LEASE_MAX.multipliedBy(2);

    /// From here on it is worth using the lanes.
    private static final int SHARED_BYTES_MIN = 1024 * 1024;

    private final AgentRequests requests;
    private final Supplier<Optional<Lanes>> lanes;

    /// @param lanes those that the agent has now
    AgentFiles(AgentRequests requests, Supplier<Optional<Lanes>> lanes) {
        this.requests = requests;
        this.lanes = lanes;
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
        Optional<Lane> lane = entry.sizeBytes() < SHARED_BYTES_MIN
                ? Optional.empty()
                : lanes.get().flatMap(Lanes::takeOut);
        if (lane.isPresent()) {
            try (Lane taken = lane.get()) {
                readShared(fields.flag(Tag.SHARED, true).build(), taken, content);
            }
        } else {
            readSent(fields.build(), content);
        }
        return entry;
    }

    private void readSent(Fields request, ByteSink content) {
        requests.exchange(RequestKind.READ, request, channel -> {
            channel.expectBulk(Protocol.CONTENT);
            return AgentRequests.awaitClose(
                    channel, new AgentRequests.Stream(Protocol.CONTENT, Limits.FILE_BYTES_MAX, content), patience());
        });
    }

    private void readShared(Fields request, Lane lane, ByteSink content) {
        requests.exchange(RequestKind.READ, request, channel -> {
            lane.usedBy(channel);
            channel.expectBulk(Protocol.CONTENT);
            long total = 0;
            while (true) {
                Frame frame = AgentRequests.next(channel, patience());
                if (frame.type() == FrameType.CLOSE) {
                    return AgentRequests.closing(frame);
                }
                // Whatever else it sends says nothing about the lane.
                AgentRequests.checkStream(frame, Protocol.CONTENT);
                Lane.Place place = Lane.Place.decode(ByteBuffer.wrap(frame.payload()));
                total += place.length();
                AgentRequests.checkTotal(total, Limits.FILE_BYTES_MAX);
                content.write(lane.at(place));
                channel.consumed(Protocol.CONTENT, place.length());
            }
        });
    }

    FileEntry write(GuestPath path, FileAccess access, Map<String, String> attributes, ByteSource content) {
        Fields.Builder fields = made(path, access);
        attributes.forEach((name, value) ->
                fields.text(Tag.XATTR_NAME, name).bytes(Tag.XATTR_VALUE, value.getBytes(StandardCharsets.UTF_8)));
        return requests.exchange(RequestKind.WRITE, fields.build(), channel -> {
            try (Upload upload = new Upload(channel, content, patience())) {
                if (upload.run(lanes)) {
                    channel.end(Protocol.CONTENT);
                }
                return Outcomes.file(AgentRequests.awaitClose(channel, patience()));
            }
        });
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
