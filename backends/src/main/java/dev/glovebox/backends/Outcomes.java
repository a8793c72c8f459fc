package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.Usage;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// Reads the fields of a CLOSE frame and of file records into the product's own words. What an agent says is hostile:
/// numbers out of range break the protocol, texts are bounded.
final class Outcomes {
    private static final int TEXT_CHARS_MAX = 1000;
    /// 9999-12-31 in microseconds: later times cannot be printed.
    private static final long TIME_MICROS_MAX = 253_402_300_799_000_000L;

    private Outcomes() {}

    static Outcome outcome(Fields close) {
        int kind = (int) Math.min(close.requiredNumber(Tag.OUTCOME), Integer.MAX_VALUE);
        return switch (kind) {
            case 1 -> new Outcome.Exited((int) (close.requiredNumber(Tag.EXIT_CODE) & 0xff));
            case 2 -> timedOut(close);
            case 3 -> new Outcome.OutOfMemory(close.number(Tag.MEMORY_BYTES, 0));
            case 4 -> new Outcome.KilledByPolicy(text(close, Tag.RULE), text(close, Tag.REASON));
            case 5 -> new Outcome.Killed(text(close, Tag.REASON));
            case 6 -> new Outcome.BackendLost(text(close, Tag.REASON));
            default -> throw new ProtocolException("outcome " + kind + " does not exist");
        };
    }

    private static Outcome timedOut(Fields close) {
        return close.has(Tag.CPU_MILLIS)
                ? new Outcome.TimedOut(Duration.ofMillis(millis(close, Tag.CPU_MILLIS)), Outcome.Clock.CPU)
                : new Outcome.TimedOut(Duration.ofMillis(millis(close, Tag.WALL_MILLIS)), Outcome.Clock.WALL);
    }

    static Usage usage(Fields close) {
        return new Usage(
                micros(close, Tag.USED_WALL_MICROS),
                micros(close, Tag.USED_CPU_MICROS),
                close.number(Tag.USED_MEMORY_BYTES, 0),
                close.number(Tag.USED_OUTPUT_BYTES, 0));
    }

    private static Duration micros(Fields close, Tag tag) {
        return Duration.of(Math.min(close.number(tag, 0), TIME_MICROS_MAX), ChronoUnit.MICROS);
    }

    private static long millis(Fields close, Tag tag) {
        return Math.min(close.number(tag, 0), TIME_MICROS_MAX / 1000);
    }

    static FileEntry file(Fields fields) {
        FileEntry.Type type = switch ((int) Math.min(fields.number(Tag.FILE_TYPE, 4), 4)) {
            case 1 -> FileEntry.Type.FILE;
            case 2 -> FileEntry.Type.DIRECTORY;
            case 3 -> FileEntry.Type.SYMLINK;
            default -> FileEntry.Type.OTHER;
        };
        return new FileEntry(
                fields.requiredText(Tag.PATH),
                type,
                fields.number(Tag.FILE_SIZE, 0),
                (int) (fields.number(Tag.FILE_MODE, 0) & 07777),
                Instant.EPOCH.plus(micros(fields, Tag.FILE_MODIFIED)),
                fields.text(Tag.LINK_TARGET).orElse(""));
    }

    /// Throws what a CLOSE that is no success means for the caller.
    static void check(Fields close) {
        Status status = Status.ofCode(close.requiredNumber(Tag.STATUS));
        if (status != Status.OK && status != Status.CANCELLED) {
            throw new GloveboxException(codeOf(status), text(close, Tag.MESSAGE));
        }
    }

    private static ErrorCode codeOf(Status status) {
        return switch (status) {
            case OK, CANCELLED, FAILED -> ErrorCode.INTERNAL;
            case INVALID -> ErrorCode.INVALID_ARGUMENT;
            case NOT_FOUND -> ErrorCode.FILE_NOT_FOUND;
            case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
            case NOT_A_DIRECTORY, IS_A_DIRECTORY, NOT_EMPTY -> ErrorCode.WRONG_FILE_TYPE;
            case PERMISSION -> ErrorCode.FORBIDDEN;
            case NO_SPACE -> ErrorCode.NO_SPACE;
            case TOO_MANY -> ErrorCode.QUOTA_EXCEEDED;
            case UNSUPPORTED -> ErrorCode.UNSUPPORTED;
        };
    }

    /// A text of an agent as we may show it: bounded, without control characters.
    static String text(Fields fields, Tag tag) {
        String text = fields.text(tag).orElse("");
        String cut = text.length() > TEXT_CHARS_MAX ? text.substring(0, TEXT_CHARS_MAX) + "…" : text;
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
