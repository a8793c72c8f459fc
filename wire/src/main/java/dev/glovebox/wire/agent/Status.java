package dev.glovebox.wire.agent;

/// How a request ended, in a CLOSE frame. The number is what travels.
public enum Status {
    OK(0),
    INVALID(1),
    NOT_FOUND(2),
    ALREADY_EXISTS(3),
    NOT_A_DIRECTORY(4),
    IS_A_DIRECTORY(5),
    NOT_EMPTY(6),
    PERMISSION(7),
    NO_SPACE(8),
    TOO_MANY(9),
    UNSUPPORTED(10),
    CANCELLED(11),
    FAILED(12);

    private final int code;

    Status(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /// The status with this number; [#FAILED] for a number that this version does not know.
    public static Status ofCode(long code) {
        return code >= 0 && code < values().length ? values()[(int) code] : FAILED;
    }
}
