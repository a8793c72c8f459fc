package dev.glovebox.conformance;

import org.jspecify.annotations.Nullable;

/// What must be there.
final class Present {
    private Present() {}

    static <T> T of(@Nullable T value, Object context) {
        if (value == null) {
            throw new AssertionError("something is missing in " + context);
        }
        return value;
    }
}
