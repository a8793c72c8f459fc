package dev.glovebox.backends.template;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import java.util.regex.Pattern;

/// How people call a template. Also a file name, so it holds nothing that a path could be made of.
public record TemplateName(String value) {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");

    public TemplateName {
        if (!isOne(value)) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT,
                    "'" + value + "' is no name of a template: 1 to 64 of a-z, 0-9, '.', '_' and '-', beginning with a"
                            + " letter or a digit");
        }
    }

    static boolean isOne(String text) {
        return FORM.matcher(text).matches();
    }

    @Override
    public String toString() {
        return value;
    }
}
