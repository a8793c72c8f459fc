package dev.glovebox.bench;

import org.jspecify.annotations.Nullable;

/// Something did not run as it must for its figure to mean anything. The message is a sentence.
final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BenchException(String message) {
        this(message, null);
    }

    BenchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
