package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.SandboxUsage;
import dev.glovebox.core.Usage;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Reads the fields of a CLOSE frame and of file records into the product's own words. What an agent says is hostile:
/// numbers out of range break the protocol, texts are bounded.
final class Outcomes {
    private static final int TEXT_CHARS_MAX = 1000;
    /// 9999-12-31 in microseconds: later times cannot be printed. A guest may give its files any.
    private static final long TIME_MICROS_MAX = 253_402_300_799_000_000L;
    /// Longer than anything can run: sums of durations up to this cannot overflow.
    private static final long USED_MICROS_MAX = Duration.ofDays(3660).toNanos() / 1000;
    /// More than anything can hold or write: sums of sizes up to this cannot overflow.
    private static final long USED_BYTES_MAX = 1L << 50;

    private static final int EXIT_CODE_MAX = 255;
    /// What may not reach a terminal or a log: controls, marks that change the direction of text, breaks of lines.
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    private Outcomes() {}

    static Outcome outcome(Fields close) {
        int kind = (int) Math.min(close.requiredNumber(Tag.OUTCOME), Integer.MAX_VALUE);
        return switch (kind) {
            case 1 ->
                new Outcome.Exited((int) bounded(Tag.EXIT_CODE, close.requiredNumber(Tag.EXIT_CODE), EXIT_CODE_MAX));
            case 2 -> timedOut(close);
            case 3 -> new Outcome.OutOfMemory(bounded(close, Tag.MEMORY_BYTES, USED_BYTES_MAX));
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
                bounded(close, Tag.USED_MEMORY_BYTES, USED_BYTES_MAX),
                bounded(close, Tag.USED_OUTPUT_BYTES, USED_BYTES_MAX));
    }

    private static Duration micros(Fields close, Tag tag) {
        return Duration.of(bounded(close, tag, USED_MICROS_MAX), ChronoUnit.MICROS);
    }

    private static long millis(Fields close, Tag tag) {
        return bounded(close, tag, Limits.WALL_TIME_MAX.toMillis());
    }

    /// A number of the agent itself, not of a guest; 0 if it says nothing.
    private static long bounded(Fields close, Tag tag, long max) {
        return bounded(tag, close.number(tag, 0), max);
    }

    private static long bounded(Tag tag, long number, long max) {
        if (number > max) {
            throw new ProtocolException("field " + tag + " is " + number + "; the bound is " + max);
        }
        return number;
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
                Instant.EPOCH.plus(Math.min(fields.number(Tag.FILE_MODIFIED, 0), TIME_MICROS_MAX), ChronoUnit.MICROS),
                fields.text(Tag.LINK_TARGET).orElse(""),
                fields.text(Tag.FILE_OWNER).orElse(""),
                fields.text(Tag.FILE_GROUP).orElse(""),
                attributes(fields));
    }

    /// The values are bytes; those that are no text read as U+FFFD.
    private static Map<String, String> attributes(Fields fields) {
        List<String> names = fields.texts(Tag.XATTR_NAME);
        List<byte[]> values = fields.all(Tag.XATTR_VALUE);
        if (names.size() != values.size()) {
            throw new ProtocolException(
                    "a file has " + names.size() + " names and " + values.size() + " values of attributes");
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            attributes.put(names.get(i), new String(values.get(i), StandardCharsets.UTF_8));
        }
        return attributes;
    }

    /// What METRICS says of a sandbox, beside the limits that it was configured with.
    static SandboxUsage usage(Fields close, Fields configured) {
        return new SandboxUsage(
                micros(close, Tag.USED_CPU_MICROS),
                bounded(close, Tag.USED_MEMORY_BYTES, USED_BYTES_MAX),
                configured.number(Tag.MEMORY_BYTES, 0),
                bounded(close, Tag.USED_DISK_BYTES, USED_BYTES_MAX),
                configured.number(Tag.DISK_BYTES, 0),
                bounded(close, Tag.USED_FILES, USED_BYTES_MAX),
                configured.number(Tag.FILE_COUNT, 0));
    }

    /// Throws what a CLOSE that is no success means for the caller.
    static void check(Fields close) {
        Status status = status(close);
        if (status != Status.OK) {
            throw refusal(status, codeOf(status), close);
        }
    }

    /// As [#check], for a request that runs guest code in a context: there, what cannot be found is the context.
    static void checkExecution(Fields close) {
        Status status = status(close);
        if (status == Status.NOT_FOUND) {
            throw refusal(status, ErrorCode.CONTEXT_NOT_FOUND, close);
        }
        checkProcess(close);
    }

    /// As [#check], for a request that runs guest code: one that was cancelled says how its guest ended.
    static void checkProcess(Fields close) {
        if (status(close) != Status.CANCELLED) {
            check(close);
        }
    }

    /// As [#check], for a connection to a port: there, what cannot be found is somebody who listens.
    static void checkPort(Fields close, int port) {
        Status status = status(close);
        if (status != Status.OK) {
            ErrorCode code = status == Status.NOT_FOUND ? ErrorCode.PORT_CLOSED : codeOf(status);
            throw new GloveboxException(code, "port " + port + ": " + words(status, close));
        }
    }

    private static Status status(Fields close) {
        return Status.ofCode(close.requiredNumber(Tag.STATUS));
    }

    private static GloveboxException refusal(Status status, ErrorCode code, Fields close) {
        return new GloveboxException(code, words(status, close));
    }

    private static String words(Status status, Fields close) {
        String message = text(close, Tag.MESSAGE);
        return message.isBlank() ? "the sandbox answered " + status : message;
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

    /// A text of an agent as we may show it: bounded, on one line, without control characters.
    private static String text(Fields fields, Tag tag) {
        return printable(fields.text(tag).orElse(""));
    }

    /// A foreign text as it may stand in a message or a log.
    static String printable(String text) {
        String cut = text.length() > TEXT_CHARS_MAX ? text.substring(0, TEXT_CHARS_MAX) + "…" : text;
        return UNPRINTABLE.matcher(cut).replaceAll("?");
    }
}
