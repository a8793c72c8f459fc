package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.audit.AuditEvent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.locks.ReentrantLock;

/// The end of the log: where the next record goes, what it chains to, and when a new segment begins. Another
/// process may append too, so every call first reads what came behind our back. All but [#force] and [#written]
/// are called with the [DirectoryLock] held.
final class AuditChain implements AutoCloseable {
    private static final Principal OURSELVES = new Principal(TenantId.DEFAULT, "glovebox", Principal.Role.ADMIN);

    /// What a chain is made of.
    ///
    /// @param segmentBytesMax how large a segment grows before it is sealed
    record Options(Path directory, AuditKey key, Clock clock, long segmentBytesMax, SegmentFile.Opener opener) {}

    private final Options options;
    private final AuditEncoder encoder = new AuditEncoder();
    private final MessageDigest sha256 = AuditFormat.sha256();

    /// Held while the segment is put on the disk, and while it is replaced by the next.
    private final ReentrantLock disk = new ReentrantLock();

    private SegmentFile segment;
    private long position;
    private long seq;
    private String head = AuditFormat.NO_HASH;
    private boolean sealed;
    private volatile long written;
    private volatile long forced;

    /// Finds the end of a log, or begins one. Reads no more than the last line, whatever the log's size.
    ///
    /// @throws GloveboxException INTERNAL if it is damaged: it is left as it is
    AuditChain(Options options) throws IOException {
        this.options = options;
        List<AuditFormat.Segment> segments = AuditFormat.segments(options.directory());
        AuditFormat.Segment newest = segments.isEmpty()
                ? new AuditFormat.Segment(1, AuditFormat.segment(options.directory(), 1))
                : segments.getLast();
        checkComplete(segments);
        Optional<Last> last = segments.isEmpty() ? Optional.empty() : last(newest);
        if (last.isPresent()) {
            take(last.get());
            position = last.get().end();
        } else if (newest.number() > 1) {
            // A crash between the making of the segment and its first record: it continues the one before.
            take(lastOfSealed(segments));
            sealed = false;
        }
        this.segment = options.opener().open(newest);
        try {
            if (position == 0) {
                begin();
            }
            catchUp();
        } catch (IOException | RuntimeException failure) {
            segment.close();
            throw failure;
        }
    }

    private record Last(AuditLine line, long end) {}

    private void take(Last last) {
        seq = last.line().seq();
        head = last.line().hash();
        sealed = last.line().kind().equals(AuditFormat.KIND_SEAL);
        written = seq;
    }

    private Last lastOfSealed(List<AuditFormat.Segment> segments) throws IOException {
        if (segments.size() > 1) {
            Optional<Last> last = last(segments.get(segments.size() - 2));
            if (last.isPresent() && last.get().line().kind().equals(AuditFormat.KIND_SEAL)) {
                return last.get();
            }
        }
        throw damaged(segments.getLast().path(), "it is empty, and no sealed segment comes before it");
    }

    private void checkComplete(List<AuditFormat.Segment> segments) {
        for (int i = 1; i < segments.size(); i++) {
            int expected = segments.get(i - 1).number() + 1;
            if (segments.get(i).number() != expected) {
                throw damaged(AuditFormat.segment(options.directory(), expected), "it is missing");
            }
        }
    }

    private Optional<Last> last(AuditFormat.Segment of) throws IOException {
        try (FileChannel channel = FileChannel.open(of.path())) {
            long length = channel.size();
            byte[] window = TailWindow.read(channel, length);
            int end = TailWindow.lastNewline(window, window.length);
            if (end < 0) {
                if (window.length < length) {
                    throw damaged(of.path(), "its end is no record");
                }
                return Optional.empty();
            }
            byte[] line = Arrays.copyOfRange(window, TailWindow.lastNewline(window, end) + 1, end);
            return Optional.of(new Last(AuditLine.read(line, sha256), length - window.length + end + 1));
        } catch (IllegalArgumentException bad) {
            throw damaged(of.path(), "of its last record: " + bad.getMessage());
        }
    }

    /// Appends an event and returns its number; it is written, but not yet forced to the disk.
    long append(AuditEvent event) throws IOException {
        catchUp();
        if (position >= options.segmentBytesMax()) {
            seal();
            catchUp();
        }
        return write(encoder.event(place(), event));
    }

    /// Reads what another process appended, cuts off what it left unfinished, and goes on to the newest
    /// segment.
    private void catchUp() throws IOException {
        readOn();
        while (sealed) {
            SegmentFile next = options.opener()
                    .open(new AuditFormat.Segment(
                            segment.number() + 1, AuditFormat.segment(options.directory(), segment.number() + 1)));
            replace(next);
            begin();
        }
    }

    /// At the begin of a segment: reads it if another process wrote it, else writes its first record.
    private void begin() throws IOException {
        PrivateFiles.forceDirectory(options.directory());
        readOn();
        if (position == 0) {
            writeHeader();
        }
    }

    private void writeHeader() throws IOException {
        write(encoder.segment(place(), options.clock().instant(), segment.number()));
    }

    private void readOn() throws IOException {
        long length = segment.length();
        if (length == position) {
            return;
        }
        if (length < position) {
            throw damaged(
                    segment.path(), "it has " + length + " bytes and had " + position + ": somebody took records away");
        }
        byte[] rest;
        try (LineReader lines = new LineReader(segment.path(), position)) {
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                follow(AuditLine.read(line, sha256));
                position = lines.position();
            }
            rest = lines.rest();
        } catch (IllegalArgumentException bad) {
            throw damaged(segment.path(), "behind byte " + position + ": " + bad.getMessage());
        }
        if (rest.length > 0) {
            cut(rest);
        }
    }

    private void follow(AuditLine line) {
        if (sealed) {
            throw new IllegalArgumentException("a record follows the seal");
        }
        if (line.seq() != seq + 1 || !line.prev().equals(head)) {
            throw new IllegalArgumentException("record " + line.seq() + " does not follow record " + seq);
        }
        seq = line.seq();
        head = line.hash();
        sealed = line.kind().equals(AuditFormat.KIND_SEAL);
        written = seq;
    }

    /// Cuts off the beginning of a record that a crash kept from being finished. Nobody was told that it was
    /// written.
    private void cut(byte[] rest) throws IOException {
        segment.truncate(position);
        if (position == 0) {
            writeHeader();
        }
        SequencedMap<String, String> details = new LinkedHashMap<>();
        details.put("why", "an unfinished record was cut off: its writer ended before it was whole");
        details.put("bytes", Integer.toString(rest.length));
        sha256.reset();
        details.put("sha256", AuditFormat.hex(sha256.digest(rest)));
        write(encoder.event(
                place(),
                new AuditEvent(
                        options.clock().instant(),
                        AuditEvent.Kind.NOTICE,
                        0,
                        OURSELVES,
                        "audit.repaired",
                        String.valueOf(segment.path().getFileName()),
                        details)));
    }

    private AuditEncoder.Place place() {
        return new AuditEncoder.Place(seq + 1, head);
    }

    private long write(byte[] object) throws IOException {
        sha256.reset();
        sha256.update(object, 0, object.length - 1);
        String hash = AuditFormat.hex(sha256.digest());
        byte[] line = AuditFormat.finish(object, hash);
        try {
            segment.append(line, position);
        } catch (IOException failure) {
            takeBack(failure);
            throw failure;
        }
        position += line.length;
        seq++;
        head = hash;
        written = seq;
        return seq;
    }

    private void takeBack(IOException failure) {
        try {
            segment.truncate(position);
        } catch (IOException again) {
            // The next append finds the rest as it finds that of a crash, and cuts it off.
            failure.addSuppressed(again);
        }
    }

    /// Closes a segment for good. It is read once more from its beginning, so that nothing is signed unseen.
    private void seal() throws IOException {
        MerkleTree tree = new MerkleTree();
        long firstSeq = 0;
        try (LineReader lines = new LineReader(segment.path(), 0)) {
            String before = "";
            for (byte[] bytes = lines.next(); bytes != null; bytes = lines.next()) {
                AuditLine line = AuditLine.read(bytes, sha256);
                if (tree.leaves() == 0) {
                    firstSeq = line.seq();
                } else if (!line.prev().equals(before)) {
                    throw new IllegalArgumentException("record " + line.seq() + " does not follow the one before it");
                }
                before = line.hash();
                tree.add(before);
            }
            if (!before.equals(head)) {
                throw new IllegalArgumentException("it does not end where it ended before");
            }
        } catch (IllegalArgumentException bad) {
            throw damaged(segment.path(), bad.getMessage() + ": it will not be sealed");
        }
        byte[] message = AuditFormat.sealMessage(segment.number(), firstSeq, tree.leaves(), tree.root());
        PublicKey publicKey = AuditKey.readPublic(options.key().publicFile());
        AuditEncoder.Seal seal = new AuditEncoder.Seal(
                segment.number(),
                firstSeq,
                tree.leaves(),
                tree.root(),
                AuditKey.id(publicKey),
                Base64.getEncoder().encodeToString(options.key().sign(message)));
        write(encoder.seal(place(), options.clock().instant(), seal));
        sealed = true;
    }

    private void replace(SegmentFile next) throws IOException {
        disk.lock();
        try {
            segment.force();
            forced = written;
            segment.close();
            segment = next;
            position = 0;
            sealed = false;
        } catch (IOException failure) {
            next.close();
            throw failure;
        } finally {
            disk.unlock();
        }
    }

    /// The number of the last record that has been written.
    long written() {
        return written;
    }

    /// Whether a record has been written and may not be on the disk yet.
    boolean isAhead() {
        return forced < written;
    }

    /// Returns when the records up to `number` are on the disk. Callers share one fdatasync: whoever waited for
    /// his turn finds that the one before him has carried his record too. Needs no [DirectoryLock].
    void force(long number) throws IOException {
        disk.lock();
        try {
            if (forced < number) {
                long upTo = written;
                segment.force();
                forced = upTo;
            }
        } finally {
            disk.unlock();
        }
    }

    private GloveboxException damaged(Path file, String why) {
        return new GloveboxException(
                ErrorCode.INTERNAL,
                "the audit log is damaged: " + file + ", " + why + ". It is left as it is. Look with 'glovebox audit"
                        + " verify', keep a copy of " + options.directory()
                        + ", and move it aside to begin a new log");
    }

    @Override
    public void close() throws IOException {
        disk.lock();
        try {
            segment.close();
        } finally {
            disk.unlock();
        }
    }
}
