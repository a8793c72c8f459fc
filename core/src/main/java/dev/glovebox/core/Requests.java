package dev.glovebox.core;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Checks of what callers hand in, each refusal with the value, the bound and the remedy.
final class Requests {
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final int METADATA_KEY_CHARS_MAX = 128;
    private static final Pattern TEMPLATE = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
    private static final int ATTRIBUTE_NAME_BYTES_MAX = 255;
    private static final String ATTRIBUTE_PREFIX = "user.";

    private Requests() {}

    static void checkArguments(List<String> arguments) {
        if (arguments.size() > Limits.ARGUMENTS_MAX) {
            throw invalid("there are " + arguments.size() + " arguments; the bound is " + Limits.ARGUMENTS_MAX);
        }
        long bytes = 0;
        for (String argument : arguments) {
            bytes += checkText("an argument", argument);
        }
        checkTotal("the arguments", bytes);
    }

    static void checkEnvironment(Map<String, String> environment) {
        long bytes = 0;
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            if (!VARIABLE.matcher(variable.getKey()).matches()) {
                throw invalid("an environment variable's name is a letter or '_' followed by letters, digits and '_'");
            }
            bytes += variable.getKey().length() + 2 + checkText("an environment variable", variable.getValue());
        }
        checkTotal("the environment", bytes);
    }

    static void checkMetadata(Map<String, String> metadata) {
        if (metadata.size() > Limits.METADATA_ENTRIES_MAX) {
            throw invalid(
                    "there are " + metadata.size() + " metadata entries; the bound is " + Limits.METADATA_ENTRIES_MAX);
        }
        metadata.forEach((key, value) -> {
            int bytes = value.getBytes(StandardCharsets.UTF_8).length;
            if (key.isEmpty() || key.length() > METADATA_KEY_CHARS_MAX || bytes > Limits.METADATA_VALUE_BYTES_MAX) {
                throw invalid("a metadata key has 1 to " + METADATA_KEY_CHARS_MAX + " characters and a value at most "
                        + Limits.METADATA_VALUE_BYTES_MAX + " bytes");
            }
        });
    }

    static void checkTemplate(String name) {
        if (!TEMPLATE.matcher(name).matches()) {
            throw invalid(
                    "a template's name is 1 to 64 of a-z, 0-9, '.', '_' and '-', and begins with a letter or digit");
        }
    }

    /// Extended attributes, as Linux bounds them.
    static void checkAttributes(Map<String, String> attributes) {
        long bytes = 0;
        for (Map.Entry<String, String> attribute : attributes.entrySet()) {
            long name = checkText("an extended attribute", attribute.getKey()) - 1;
            if (!attribute.getKey().startsWith(ATTRIBUTE_PREFIX)
                    || name == ATTRIBUTE_PREFIX.length()
                    || name > ATTRIBUTE_NAME_BYTES_MAX) {
                throw invalid("an extended attribute's name begins with '" + ATTRIBUTE_PREFIX + "' and has at most "
                        + ATTRIBUTE_NAME_BYTES_MAX + " bytes");
            }
            bytes += name + attribute.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        if (bytes > Limits.ATTRIBUTES_BYTES_MAX) {
            throw invalid("the extended attributes have " + bytes + " bytes together; the bound is "
                    + Limits.ATTRIBUTES_BYTES_MAX);
        }
    }

    private static long checkText(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw invalid(what + " cannot hold a NUL character");
        }
        return text.getBytes(StandardCharsets.UTF_8).length + 1L;
    }

    private static void checkTotal(String what, long bytes) {
        if (bytes > Limits.ARGUMENTS_BYTES_MAX) {
            throw invalid(what + " have " + bytes + " bytes together; the bound is " + Limits.ARGUMENTS_BYTES_MAX
                    + ": put long values into a file");
        }
    }

    private static GloveboxException invalid(String message) {
        return new GloveboxException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
