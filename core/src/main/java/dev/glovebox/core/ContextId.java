package dev.glovebox.core;

import java.util.regex.Pattern;

/// Names a code interpreter context within its sandbox.
public record ContextId(String value) {
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");

    public ContextId {
        if (!SHAPE.matcher(value).matches()) {
            throw new GloveboxException(
                    ErrorCode.CONTEXT_NOT_FOUND, "a context's id is 1 to 64 letters, digits, '_' and '-'");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
