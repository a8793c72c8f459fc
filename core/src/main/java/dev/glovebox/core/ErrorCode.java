package dev.glovebox.core;

import java.util.Locale;

/// What can go wrong for a caller. The names are part of the API: clients branch on them, so none is ever renamed.
public enum ErrorCode {
    INVALID_ARGUMENT(Kind.CALLER, 400),
    UNAUTHENTICATED(Kind.CALLER, 401),
    FORBIDDEN(Kind.POLICY, 403),
    SANDBOX_NOT_FOUND(Kind.CALLER, 404),
    PROCESS_NOT_FOUND(Kind.CALLER, 404),
    CONTEXT_NOT_FOUND(Kind.CALLER, 404),
    FILE_NOT_FOUND(Kind.CALLER, 404),
    KEY_NOT_FOUND(Kind.CALLER, 404),
    SECRET_NOT_FOUND(Kind.CALLER, 404),
    TUNNEL_NOT_FOUND(Kind.CALLER, 404),
    ROUTE_NOT_FOUND(Kind.CALLER, 404),
    METHOD_NOT_ALLOWED(Kind.CALLER, 405),
    ALREADY_EXISTS(Kind.CALLER, 409),
    WRONG_STATE(Kind.CALLER, 409),
    TOO_LARGE(Kind.CALLER, 413),
    /// The file is not of the kind that the operation needs: a directory where a file was meant, or the reverse.
    WRONG_FILE_TYPE(Kind.CALLER, 422),
    POLICY_DENIED(Kind.POLICY, 403),
    /// A count that belongs to the tenant is used up; waiting or ending something helps.
    QUOTA_EXCEEDED(Kind.CAPACITY, 429),
    NO_SPACE(Kind.CAPACITY, 507),
    /// The whole server is at a bound; the same call may succeed later.
    OVERLOADED(Kind.CAPACITY, 503),
    TIER_UNAVAILABLE(Kind.BACKEND, 501),
    /// The tier exists but does not do this; the message says which tier does.
    UNSUPPORTED(Kind.BACKEND, 501),
    BACKEND_LOST(Kind.BACKEND, 502),
    /// Nothing inside the sandbox listens on the port, or what listens does not answer.
    PORT_CLOSED(Kind.BACKEND, 502),
    INTERNAL(Kind.INTERNAL, 500);

    /// Who has to act.
    public enum Kind {
        CALLER,
        POLICY,
        CAPACITY,
        BACKEND,
        INTERNAL
    }

    private final Kind kind;
    private final int httpStatus;

    ErrorCode(Kind kind, int httpStatus) {
        this.kind = kind;
        this.httpStatus = httpStatus;
    }

    public Kind kind() {
        return kind;
    }

    /// The status that an HTTP interface answers with.
    public int httpStatus() {
        return httpStatus;
    }

    /// The word for this code in every interface: the constant's name in lower case.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
