package dev.glovebox.server.e2b.control;

import java.util.OptionalInt;

/// A refusal that E2B's clients understand by its status.
final class ControlError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final int retryAfterSeconds;

    ControlError(int status, String message) {
        this(status, message, 0);
    }

    ControlError(int status, String message, int retryAfterSeconds) {
        super(message);
        this.status = status;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /// What a caller wrote is not as it must be.
    static ControlError invalid(String message) {
        return new ControlError(400, message);
    }

    /// What a caller asks for is not there (yet).
    static ControlError unsupported(String message) {
        return new ControlError(501, message);
    }

    int status() {
        return status;
    }

    /// When to ask again, in seconds.
    OptionalInt retryAfter() {
        return retryAfterSeconds > 0 ? OptionalInt.of(retryAfterSeconds) : OptionalInt.empty();
    }
}
