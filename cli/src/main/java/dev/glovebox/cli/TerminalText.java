package dev.glovebox.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// Makes a guest's bytes harmless to a terminal. Valid UTF-8 passes, but for what could move the cursor, change
/// the terminal or its title, or reorder text: controls (other than line feed and tab), separators, and
/// formatting characters such as bidirectional overrides are shown as `\x1b` or `\u202e`; bytes that are not
/// UTF-8 as `\xff`. A character may be cut by the end of a chunk. Not thread-safe.
final class TerminalText {
    private static final int JOINER = 0x200d;
    private static final int NON_JOINER = 0x200c;

    /// A character that has begun: its bytes so far, and how many are still to come.
    private final byte[] begun = new byte[4];

    private int begunLength;
    private int missing;
    private boolean pendingReturn;

    /// What a terminal may get for these bytes.
    byte[] push(byte[] bytes) {
        ByteArrayOutputStream safe = new ByteArrayOutputStream(bytes.length + 16);
        for (byte b : bytes) {
            push(b & 0xff, safe);
        }
        return safe.toByteArray();
    }

    /// What is left at the end.
    byte[] finish() {
        ByteArrayOutputStream safe = new ByteArrayOutputStream();
        flushReturn(safe);
        flushBegun(safe);
        return safe.toByteArray();
    }

    private void push(int b, ByteArrayOutputStream safe) {
        if (pendingReturn) {
            if (b == '\n') {
                pendingReturn = false; // A line end as Windows writes it.
            } else {
                flushReturn(safe);
            }
        }
        if (missing > 0 && (b & 0xc0) == 0x80) {
            begun[begunLength++] = (byte) b;
            missing--;
            if (missing == 0) {
                complete(safe);
            }
            return;
        }
        flushBegun(safe);
        if (b < 0x80) {
            ascii(b, safe);
        } else if (b >= 0xc2 && b <= 0xf4) {
            begun[0] = (byte) b;
            begunLength = 1;
            missing = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
        } else {
            escapeByte(b, safe);
        }
    }

    private void ascii(int b, ByteArrayOutputStream safe) {
        if (b == '\r') {
            pendingReturn = true;
        } else if (b == '\n' || b == '\t' || (b >= 0x20 && b < 0x7f)) {
            safe.write(b);
        } else {
            escapeByte(b, safe);
        }
    }

    /// A sequence of the right length; it is a character only if it decodes as one (no surrogate, not overlong).
    private void complete(ByteArrayOutputStream safe) {
        String text = new String(begun, 0, begunLength, StandardCharsets.UTF_8);
        int character = text.codePointAt(0);
        if (text.codePointCount(0, text.length()) != 1 || isReplaced(character)) {
            flushBegun(safe);
            return;
        }
        if (isHarmless(character)) {
            safe.write(begun, 0, begunLength);
        } else {
            escapeCharacter(character, safe);
        }
        begunLength = 0;
    }

    /// Whether decoding failed: a guest's own U+FFFD is `ef bf bd`.
    private boolean isReplaced(int character) {
        boolean isOwn = begunLength == 3 && (begun[0] & 0xff) == 0xef && (begun[1] & 0xff) == 0xbf;
        return character == 0xfffd && !isOwn;
    }

    private static boolean isHarmless(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE -> false;
            // Joiners hold emoji and Indic scripts together; the other formatting characters hide or reorder text.
            case Character.FORMAT -> character == JOINER || character == NON_JOINER;
            default -> true;
        };
    }

    private void flushReturn(ByteArrayOutputStream safe) {
        if (pendingReturn) {
            pendingReturn = false;
            escapeByte('\r', safe);
        }
    }

    private void flushBegun(ByteArrayOutputStream safe) {
        for (int i = 0; i < begunLength; i++) {
            escapeByte(begun[i] & 0xff, safe);
        }
        begunLength = 0;
        missing = 0;
    }

    private static void escapeByte(int b, ByteArrayOutputStream safe) {
        safe.writeBytes(("\\x" + HexFormat.of().toHexDigits((byte) b)).getBytes(StandardCharsets.US_ASCII));
    }

    private static void escapeCharacter(int character, ByteArrayOutputStream safe) {
        String digits = character > 0xffff
                ? "\\U" + HexFormat.of().toHexDigits(character)
                : "\\u" + HexFormat.of().toHexDigits((char) character);
        safe.writeBytes(digits.getBytes(StandardCharsets.US_ASCII));
    }
}
