package dev.glovebox.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The audit log's format, byte by byte, as docs/audit-log.md describes it for those who verify without us. A
/// line is `body` + `,"hash":"` + 64 hexadecimal digits + `"}` + a newline, and the hash is the SHA-256 of
/// `body`, which ends in `,"prev":"` + the hash of the line before + `"`.
final class AuditFormat {
    /// Goes up when a reader of the version before could no longer verify.
    static final int VERSION = 1;

    /// What the first line ever names as the hash before it.
    static final String NO_HASH = "0".repeat(64);

    static final String KIND_SEGMENT = "segment";
    static final String KIND_SEAL = "seal";

    /// `,"hash":"` and `"}` around 64 digits.
    static final int HASH_PART_BYTES = 9 + 64 + 2;

    /// A record's own bound and room for the longest fixed part; no line of ours is longer.
    static final int LINE_BYTES_MAX = 32 * 1024;

    private static final Pattern SEGMENT_NAME = Pattern.compile("audit-(\\d{6,9})\\.jsonl");

    private AuditFormat() {}

    static Path segment(Path directory, int number) {
        String digits = Integer.toString(number);
        return directory.resolve("audit-" + "0".repeat(Math.max(0, 6 - digits.length())) + digits + ".jsonl");
    }

    /// A segment file of a log.
    record Segment(int number, Path path) {}

    /// All segments, oldest first.
    static List<Segment> segments(Path directory) throws IOException {
        List<Segment> segments = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                numberOf(file).ifPresent(number -> segments.add(new Segment(number, file)));
            }
        }
        segments.sort(Comparator.comparingInt(Segment::number));
        return segments;
    }

    private static Optional<Integer> numberOf(Path path) {
        Matcher matcher = SEGMENT_NAME.matcher(String.valueOf(path.getFileName()));
        return matcher.matches() ? Optional.of(Integer.valueOf(matcher.group(1))) : Optional.empty();
    }

    /// A finished line with its newline, from an object that ends in its `prev`.
    static byte[] finish(byte[] object, String hash) {
        byte[] end = (",\"hash\":\"" + hash + "\"}\n").getBytes(StandardCharsets.US_ASCII);
        byte[] line = new byte[object.length - 1 + end.length];
        System.arraycopy(object, 0, line, 0, object.length - 1);
        System.arraycopy(end, 0, line, object.length - 1, end.length);
        return line;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
    }

    static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    /// What a seal signs: everything that tells one segment from another.
    static byte[] sealMessage(int segment, long firstSeq, long records, String root) {
        return ("glovebox-audit-seal-v1\n" + segment + "\n" + firstSeq + "\n" + records + "\n" + root + "\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
