package dev.glovebox.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/// What chains a line of the audit log to the others. Read by position, which the format fixes, so that a log
/// of any size can be walked without a JSON parser.
record AuditLine(long seq, String kind, String prev, String hash) {
    private static final String START = "{\"seq\":";
    private static final String AT = ",\"at\":\"";
    private static final String KIND = "\",\"kind\":\"";
    private static final String PREV = ",\"prev\":\"";
    private static final String HASH = ",\"hash\":\"";
    private static final String END = "\"}";
    private static final int HEX = 64;
    private static final int PREV_PART_BYTES = PREV.length() + HEX + 1;
    private static final int SEQ_DIGITS_MAX = 18;

    /// Reads a line without its newline and checks its hash.
    ///
    /// @throws IllegalArgumentException with the reason in words if it is not a line of this log as it
    ///     was written
    static AuditLine read(byte[] line, MessageDigest sha256) {
        int hashAt = line.length - AuditFormat.HASH_PART_BYTES;
        int prevAt = hashAt - PREV_PART_BYTES;
        boolean framed = prevAt >= START.length()
                && isAt(line, prevAt, PREV)
                && isAt(line, hashAt, HASH)
                && isAt(line, line.length - END.length(), END);
        if (!framed) {
            throw new IllegalArgumentException("it does not end in \"prev\" and \"hash\"");
        }
        String prev = text(line, prevAt + PREV.length(), HEX);
        String hash = text(line, hashAt + HASH.length(), HEX);
        sha256.reset();
        sha256.update(line, 0, hashAt);
        if (!AuditFormat.hex(sha256.digest()).equals(hash)) {
            throw new IllegalArgumentException(
                    "its content does not match its hash: it was changed after it was written");
        }
        int seqEnd = indexOf(line, ',', START.length());
        if (!isAt(line, 0, START) || seqEnd < 0 || !isAt(line, seqEnd, AT)) {
            throw new IllegalArgumentException("it does not begin with \"seq\" and \"at\"");
        }
        int atEnd = indexOf(line, '"', seqEnd + AT.length());
        if (atEnd < 0 || !isAt(line, atEnd, KIND)) {
            throw new IllegalArgumentException("it has no \"kind\" behind \"at\"");
        }
        int kindAt = atEnd + KIND.length();
        int kindEnd = indexOf(line, '"', kindAt);
        return new AuditLine(number(line, seqEnd), text(line, kindAt, Math.max(0, kindEnd - kindAt)), prev, hash);
    }

    private static long number(byte[] line, int end) {
        String digits = text(line, START.length(), end - START.length());
        if (digits.isEmpty()
                || digits.length() > SEQ_DIGITS_MAX
                || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("its \"seq\" is not a number");
        }
        return Long.parseLong(digits);
    }

    private static boolean isAt(byte[] line, int offset, String text) {
        return offset >= 0
                && offset + text.length() <= line.length
                && text(line, offset, text.length()).equals(text);
    }

    private static int indexOf(byte[] line, char wanted, int from) {
        for (int i = from; i < line.length; i++) {
            if (line[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static String text(byte[] line, int offset, int length) {
        return new String(line, offset, length, StandardCharsets.ISO_8859_1);
    }
}
