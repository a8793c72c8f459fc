package dev.glovebox.testkit;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.Limits;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The pages that say in a table what stands in code: made from the code, so that they cannot lie.
final class ReferencePages {
    private static final long KIB = 1024;
    private static final long MIB = KIB * KIB;

    private ReferencePages() {}

    /// docs/limits.md.
    static String limits() {
        StringBuilder page = new StringBuilder("""
                # Limits

                Every bound of the product, from [core/Limits](../core/src/main/java/dev/glovebox/core/Limits.java), with its
                reason. This page is made from that file by `TidyTest`; change the file, then run
                `mvn -pl testkit -am test -Dtest=TidyTest -Dglovebox.write=true`.

                | constant | value | why |
                |---|---|---|
                """);
        String source = Tree.read("core/src/main/java/dev/glovebox/core/Limits.java");
        String above = "";
        for (Field field : constants()) {
            String why = comment(source, "public static final \\S+ " + field.getName() + " =");
            page.append("| `")
                    .append(field.getName())
                    .append("` | ")
                    .append(value(field))
                    .append(" | ");
            String subject = field.getName().substring(0, field.getName().indexOf('_'));
            page.append(why.isEmpty() && subject.equals(above) ? "as above" : why)
                    .append(" |\n");
            above = subject;
        }
        return page.toString();
    }

    static List<Field> constants() {
        List<Field> constants = new ArrayList<>();
        for (Field field : Limits.class.getDeclaredFields()) {
            if (Modifier.isPublic(field.getModifiers()) && Modifier.isStatic(field.getModifiers())) {
                constants.add(field);
            }
        }
        return constants;
    }

    private static String value(Field field) {
        try {
            Object value = field.get(null);
            if (value instanceof Duration duration) {
                return text(duration);
            }
            long number = ((Number) value).longValue();
            return field.getName().contains("BYTES") ? bytes(number) : grouped(number);
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String text(Duration duration) {
        if (duration.toMillis() % 1000 != 0) {
            return duration.toMillis() + " ms";
        }
        long seconds = duration.toSeconds();
        if (seconds % 3600 == 0) {
            return seconds / 3600 + " h";
        }
        return seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    private static String bytes(long number) {
        if (number >= MIB && number % MIB == 0) {
            return number / MIB + " MiB";
        }
        return number >= KIB && number % KIB == 0 ? number / KIB + " KiB" : number + " bytes";
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
    }

    /// docs/errors.md.
    static String errors() {
        StringBuilder page = new StringBuilder("""
                # Errors

                What can go wrong for a caller, from [core/ErrorCode](../core/src/main/java/dev/glovebox/core/ErrorCode.java).
                Clients branch on the word, which never changes; the sentence beside it is for people and may. This page is
                made from that file by `TidyTest`; change the file, then run
                `mvn -pl testkit -am test -Dtest=TidyTest -Dglovebox.write=true`.

                | word | who has to act | HTTP status | |
                |---|---|---|---|
                """);
        String source = Tree.read("core/src/main/java/dev/glovebox/core/ErrorCode.java");
        for (ErrorCode code : ErrorCode.values()) {
            page.append("| `").append(code.word()).append("` | ");
            page.append(code.kind().name().toLowerCase(Locale.ROOT)).append(" | ");
            page.append(code.httpStatus()).append(" | ");
            page.append(comment(source, code.name() + "\\(")).append(" |\n");
        }
        return page.toString();
    }

    /// The `///` lines right above a declaration, as one text.
    private static String comment(String source, String declaration) {
        Matcher matcher =
                Pattern.compile("((?: *///[^\n]*\n)*) *" + declaration).matcher(source);
        if (!matcher.find()) {
            throw new AssertionError("cannot find " + declaration + " in its source");
        }
        return matcher.group(1)
                .replaceAll("(?m)^ */// ?", "")
                .replace('\n', ' ')
                .strip();
    }
}
