package dev.glovebox.server.e2b.envd;

import java.util.Locale;

/// The Connect protocol's codes that are used here, with the HTTP status that goes with each in answers of one
/// message.
enum ConnectCode {
    INVALID_ARGUMENT(400),
    FAILED_PRECONDITION(400),
    UNAUTHENTICATED(401),
    PERMISSION_DENIED(403),
    NOT_FOUND(404),
    ALREADY_EXISTS(409),
    RESOURCE_EXHAUSTED(429),
    INTERNAL(500),
    UNIMPLEMENTED(501),
    DEADLINE_EXCEEDED(504);

    private final int httpStatus;

    ConnectCode(int httpStatus) {
        this.httpStatus = httpStatus;
    }

    int httpStatus() {
        return httpStatus;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
