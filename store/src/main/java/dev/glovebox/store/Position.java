package dev.glovebox.store;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Sandbox;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a sandbox stands in a list: by the time it was made, and by its id among those of the same
/// microsecond. As text it is a page's cursor, which is opaque to callers and checked when it comes back.
record Position(long createdMicros, String id) implements Comparable<Position> {
    private static final Pattern SHAPE = Pattern.compile("(-?\\d{1,18}):(i[a-z0-9]{20})");
    private static final int CURSOR_CHARS_MAX = 128;
    private static final Comparator<Position> ORDER =
            Comparator.comparingLong(Position::createdMicros).thenComparing(Position::id);

    static Position of(Sandbox sandbox) {
        return new Position(micros(sandbox.createdAt()), sandbox.id().value());
    }

    String cursor() {
        byte[] text = (createdMicros + ":" + id).getBytes(StandardCharsets.US_ASCII);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
    }

    /// Reads a cursor back.
    ///
    /// @throws GloveboxException INVALID_ARGUMENT if it is none of ours
    static Position ofCursor(String cursor) {
        if (cursor.length() <= CURSOR_CHARS_MAX) {
            try {
                byte[] text = Base64.getUrlDecoder().decode(cursor);
                Matcher matcher = SHAPE.matcher(new String(text, StandardCharsets.US_ASCII));
                if (matcher.matches()) {
                    return new Position(Long.parseLong(matcher.group(1)), matcher.group(2));
                }
            } catch (IllegalArgumentException _) {
                // Not base64: refused below, in the same words.
            }
        }
        throw new GloveboxException(
                ErrorCode.INVALID_ARGUMENT,
                "the cursor is not one that this server gave out: begin again without a cursor");
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Override
    public int compareTo(Position other) {
        return ORDER.compare(this, other);
    }
}
