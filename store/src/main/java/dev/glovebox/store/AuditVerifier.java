package dev.glovebox.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// Walks a whole audit log and says whether it is as it was written. Needs nothing but the files and the public
/// key, takes no lock, holds one record at a time, and may run while a server appends. Not thread-safe.
public final class AuditVerifier {
    private static final JsonFactory JSON = JsonFactory.builder().build();

    /// What was found.
    public sealed interface Verdict {
        /// Every record follows the one before it, and every seal is right.
        ///
        /// @param firstSeq more than 1 if older segments have been archived
        /// @param head hash of the last record: kept elsewhere, it proves later that nothing was cut off
        /// @param seals segments whose signature was checked
        /// @param unfinishedBytes of a record that is being written, or that a crash left
        record Intact(long records, long firstSeq, long lastSeq, String head, int seals, int unfinishedBytes)
                implements Verdict {}

        /// The first place where the log is not as it was written.
        ///
        /// @param line within the file, from 1
        /// @param why a sentence
        record Broken(Path file, long line, String why) implements Verdict {}
    }

    private final PublicKey key;
    private final MessageDigest sha256 = AuditFormat.sha256();

    private long records;
    private long firstSeq;
    private long seq;
    private String head = AuditFormat.NO_HASH;
    private int seals;
    private int unfinishedBytes;

    private AuditVerifier(PublicKey key) {
        this.key = key;
    }

    /// Verifies the log in a directory.
    ///
    /// @param key whose seals are trusted; best a copy that was kept elsewhere
    /// @throws UncheckedIOException if a file cannot be read
    public static Verdict verify(Path directory, PublicKey key) {
        return new AuditVerifier(key).walk(directory);
    }

    private Verdict walk(Path directory) {
        try {
            List<AuditFormat.Segment> segments = AuditFormat.segments(directory);
            if (segments.isEmpty()) {
                return new Verdict.Broken(
                        AuditFormat.segment(directory, 1), 1, "there is no such file, and no other segment");
            }
            for (int i = 0; i < segments.size(); i++) {
                int expected = segments.getFirst().number() + i;
                if (segments.get(i).number() != expected) {
                    return new Verdict.Broken(AuditFormat.segment(directory, expected), 1, "the file is missing");
                }
                SegmentCheck check = new SegmentCheck(segments.get(i), i == 0, i == segments.size() - 1);
                try {
                    check.run();
                } catch (IllegalArgumentException bad) {
                    return new Verdict.Broken(segments.get(i).path(), check.line, String.valueOf(bad.getMessage()));
                }
            }
            return new Verdict.Intact(records, firstSeq, seq, head, seals, unfinishedBytes);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read the audit log: " + failure.getMessage(), failure);
        }
    }

    /// One segment.
    private final class SegmentCheck {
        private final AuditFormat.Segment segment;
        private final boolean first;
        private final boolean newest;
        private final MerkleTree tree = new MerkleTree();
        private long firstOfSegment;
        private boolean sealed;
        private long line = 1;

        SegmentCheck(AuditFormat.Segment segment, boolean first, boolean newest) {
            this.segment = segment;
            this.first = first;
            this.newest = newest;
        }

        void run() throws IOException {
            try (LineReader lines = new LineReader(segment.path(), 0)) {
                for (byte[] bytes = lines.next(); bytes != null; bytes = lines.next()) {
                    check(AuditLine.read(bytes, sha256), bytes);
                    line++;
                }
                unfinishedBytes = lines.rest().length;
            }
            if (!newest && (!sealed || unfinishedBytes > 0)) {
                throw new IllegalArgumentException("the segment does not end in a seal, although another follows it");
            }
        }

        private void check(AuditLine record, byte[] bytes) {
            if (sealed) {
                throw new IllegalArgumentException("a record follows the seal");
            }
            if (line == 1) {
                checkHeader(record, bytes);
            } else if (record.kind().equals(AuditFormat.KIND_SEGMENT)) {
                throw new IllegalArgumentException("a segment begins in the middle of another");
            }
            if (records > 0 || segment.number() == 1) {
                checkOrder(record);
            } else {
                firstSeq = record.seq();
            }
            if (record.kind().equals(AuditFormat.KIND_SEAL)) {
                checkSeal(fields(bytes));
                sealed = true;
            }
            tree.add(record.hash());
            records++;
            seq = record.seq();
            head = record.hash();
        }

        private void checkOrder(AuditLine record) {
            if (record.seq() != seq + 1) {
                throw new IllegalArgumentException("record " + record.seq() + " stands where " + (seq + 1)
                        + " should: records are missing, or are not where they were");
            }
            if (!record.prev().equals(head)) {
                throw new IllegalArgumentException("record " + record.seq()
                        + " does not follow from the record before it: one of them was replaced");
            }
            if (records == 0) {
                firstSeq = record.seq();
            }
        }

        private void checkHeader(AuditLine record, byte[] bytes) {
            Map<String, String> fields = fields(bytes);
            if (!record.kind().equals(AuditFormat.KIND_SEGMENT)
                    || !Integer.toString(segment.number()).equals(fields.get("segment"))) {
                throw new IllegalArgumentException("it does not begin as segment " + segment.number() + " does");
            }
            if (!Integer.toString(AuditFormat.VERSION).equals(fields.get("format"))) {
                throw new IllegalArgumentException("its format is " + fields.get("format")
                        + "; this version of Glovebox" + " reads format " + AuditFormat.VERSION);
            }
            firstOfSegment = record.seq();
            if (!first && records == 0) {
                throw new IllegalArgumentException("the segment before it holds no record");
            }
        }

        private void checkSeal(Map<String, String> seal) {
            byte[] message = AuditFormat.sealMessage(segment.number(), firstOfSegment, tree.leaves(), tree.root());
            if (!tree.root().equals(seal.get("root"))) {
                throw new IllegalArgumentException("the seal's root is not that of the records before it");
            }
            if (!AuditKey.isSignedBy(key, message, signature(seal))) {
                throw new IllegalArgumentException("the seal was not signed with the key " + AuditKey.id(key)
                        + "; it names the key " + seal.get("key"));
            }
            seals++;
        }

        private static byte[] signature(Map<String, String> seal) {
            try {
                return Base64.getDecoder().decode(seal.getOrDefault("signature", ""));
            } catch (IllegalArgumentException _) {
                return new byte[0];
            }
        }
    }

    /// The top-level texts and numbers of a line, as texts.
    private static Map<String, String> fields(byte[] line) {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
            String name = "";
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.PROPERTY_NAME) {
                    name = json.currentName();
                } else if (token.isScalarValue()) {
                    fields.put(name, json.getString());
                }
            }
            return fields;
        } catch (JacksonException bad) {
            throw new IllegalArgumentException(
                    "it is not JSON: " + new String(line, 0, Math.min(20, line.length), StandardCharsets.US_ASCII),
                    bad);
        }
    }
}
