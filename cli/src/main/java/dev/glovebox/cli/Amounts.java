package dev.glovebox.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Durations and sizes as people write them.
final class Amounts {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|h)?");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})([KMG]?)(i?B)?", Pattern.CASE_INSENSITIVE);

    private Amounts() {}

    /// `500ms`, `5s`, `2m`, `1h`; a bare number is seconds.
    static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "a duration is a number with ms, s, m or h, such as 500ms or 5s, not '" + text + "'");
        }
        long amount = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2) == null ? "s" : matcher.group(2);
        return switch (unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofSeconds(amount);
        };
    }

    /// `64M`, `1G`, `512K`, `1000`: powers of 1024.
    static long bytes(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("a size is a number with K, M or G, such as 64M, not '" + text + "'");
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2).toUpperCase(Locale.ROOT)) {
            case "K" -> Math.multiplyExact(amount, 1L << 10);
            case "M" -> Math.multiplyExact(amount, 1L << 20);
            case "G" -> Math.multiplyExact(amount, 1L << 30);
            default -> amount;
        };
    }

    /// For people: `12 ms`, `3.4 s`.
    static String show(Duration duration) {
        long millis = duration.toMillis();
        return millis < 1000 ? millis + " ms" : tenths(millis, 1000) + " s";
    }

    /// For people: `9.8 MiB`.
    static String show(long bytes) {
        return bytes < 1 << 20 ? tenths(bytes, 1 << 10) + " KiB" : tenths(bytes, 1 << 20) + " MiB";
    }

    /// A time in RFC 3339 without parts of seconds, which nobody reads.
    static String toSeconds(String time) {
        int point = time.indexOf('.');
        return point < 0 ? time : time.substring(0, point) + "Z";
    }

    /// Without `String.format`, which takes 20 ms the first time.
    private static String tenths(long value, long unit) {
        long tenths = Math.round(value * 10.0 / unit);
        return tenths / 10 + "." + tenths % 10;
    }
}
