package dev.glovebox.cli;

import java.io.ByteArrayOutputStream;

/// Lets through to a terminal what a full-screen program needs (text, cursor, colours, modes), and takes out what
/// reaches
/// beyond the screen: strings that set titles, fill the clipboard or talk to the terminal's own programs (OSC, DCS,
/// APC,
/// PM, SOS), and window operations and reports, whose answers would be typed. Sequences may be cut anywhere between
/// calls. Source: ECMA-48, xterm's control sequences. Not thread-safe.
final class TerminalFilter {
    private static final int ESCAPE = 0x1b;
    private static final int BELL = 0x07;
    private static final int SEQUENCE_BYTES_MAX = 64;
    /// The finals of control sequences that make a terminal answer, or that move and resize its window.
    private static final String FORBIDDEN_FINALS = "cntqx";

    private static final String STRING_STARTS = "]PX^_";

    private enum State {
        TEXT,
        ESCAPED,
        SEQUENCE,
        STRING,
        STRING_ESCAPED,
        TWO_BYTES
    }

    private State state = State.TEXT;
    private final ByteArrayOutputStream sequence = new ByteArrayOutputStream();

    byte[] push(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
        for (byte one : bytes) {
            take(one & 0xff, out);
        }
        return out.toByteArray();
    }

    private void take(int c, ByteArrayOutputStream out) {
        switch (state) {
            case TEXT -> takeText(c, out);
            case ESCAPED -> takeEscaped(c, out);
            case SEQUENCE -> takeSequence(c, out);
            case STRING -> takeString(c);
            case STRING_ESCAPED -> state = c == ESCAPE ? State.STRING_ESCAPED : State.TEXT;
            case TWO_BYTES -> {
                // C2 80 to C2 9F are the controls of ECMA-48 in one character.
                if (c < 0x80 || c > 0x9f) {
                    out.write(0xc2);
                    state = State.TEXT;
                    takeText(c, out);
                } else {
                    state = State.TEXT;
                }
            }
        }
    }

    private void takeText(int c, ByteArrayOutputStream out) {
        switch (c) {
            case ESCAPE -> begin(c, State.ESCAPED);
            case 0xc2 -> state = State.TWO_BYTES;
            default -> out.write(c);
        }
    }

    private void begin(int c, State next) {
        sequence.reset();
        sequence.write(c);
        state = next;
    }

    private void takeEscaped(int c, ByteArrayOutputStream out) {
        if (c == '[') {
            sequence.write(c);
            state = State.SEQUENCE;
        } else if (STRING_STARTS.indexOf(c) >= 0) {
            state = State.STRING;
        } else if (c == ESCAPE) {
            begin(c, State.ESCAPED);
        } else if (c < 0x20) {
            out.write(c);
        } else {
            // Intermediate bytes (character sets) go on, a final one ends it; `Z` asks who the terminal is.
            sequence.write(c);
            if (c >= 0x30 || sequence.size() > SEQUENCE_BYTES_MAX) {
                finish(c != 'Z' && c < 0x7f && sequence.size() <= SEQUENCE_BYTES_MAX, out);
            }
        }
    }

    private void takeSequence(int c, ByteArrayOutputStream out) {
        if (c == ESCAPE) {
            begin(c, State.ESCAPED);
        } else if (c < 0x20) {
            out.write(c);
        } else {
            sequence.write(c);
            boolean isEnd = c >= 0x40;
            if (isEnd || sequence.size() > SEQUENCE_BYTES_MAX) {
                finish(isEnd && c < 0x7f && FORBIDDEN_FINALS.indexOf(c) < 0, out);
            }
        }
    }

    private void finish(boolean isAllowed, ByteArrayOutputStream out) {
        if (isAllowed) {
            out.writeBytes(sequence.toByteArray());
        }
        state = State.TEXT;
    }

    private void takeString(int c) {
        if (c == BELL) {
            state = State.TEXT;
        } else if (c == ESCAPE) {
            state = State.STRING_ESCAPED;
        }
    }
}
