package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.server.api.Problems;
import java.util.LinkedHashMap;
import java.util.Map;

/// A call that failed, in the Connect protocol's terms. The message is for the caller.
final class ConnectFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ConnectCode code;
    private final String words;

    ConnectFailure(ConnectCode code, String words) {
        super(words);
        this.code = code;
        this.words = words;
    }

    static ConnectFailure invalid(String words) {
        return new ConnectFailure(ConnectCode.INVALID_ARGUMENT, words);
    }

    ConnectCode code() {
        return code;
    }

    /// The error as JSON has it.
    Map<String, Object> body() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("code", code.word());
        body.put("message", words);
        return body;
    }

    /// Whatever went wrong, as a caller may see it.
    static ConnectFailure of(Throwable thrown) {
        return switch (thrown) {
            case ConnectFailure failure -> failure;
            case GloveboxException refusal -> new ConnectFailure(codeOf(refusal.code()), refusal.getMessage());
            default ->
                new ConnectFailure(ConnectCode.INTERNAL, Problems.of(thrown).detail());
        };
    }

    /// Whether it says that the sandbox is not there any more: then its port answers 502, as for every other that is
    /// dead, or a stream breaks.
    static boolean isGone(Throwable thrown) {
        return thrown instanceof GloveboxException refusal
                && (refusal.code() == ErrorCode.SANDBOX_NOT_FOUND || refusal.code() == ErrorCode.BACKEND_LOST);
    }

    private static ConnectCode codeOf(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT, WRONG_FILE_TYPE -> ConnectCode.INVALID_ARGUMENT;
            case UNAUTHENTICATED -> ConnectCode.UNAUTHENTICATED;
            case FORBIDDEN, POLICY_DENIED -> ConnectCode.PERMISSION_DENIED;
            case SANDBOX_NOT_FOUND,
                    PROCESS_NOT_FOUND,
                    CONTEXT_NOT_FOUND,
                    FILE_NOT_FOUND,
                    KEY_NOT_FOUND,
                    SECRET_NOT_FOUND,
                    TUNNEL_NOT_FOUND,
                    ROUTE_NOT_FOUND -> ConnectCode.NOT_FOUND;
            case ALREADY_EXISTS -> ConnectCode.ALREADY_EXISTS;
            case WRONG_STATE -> ConnectCode.FAILED_PRECONDITION;
            case TOO_LARGE, QUOTA_EXCEEDED, NO_SPACE, OVERLOADED -> ConnectCode.RESOURCE_EXHAUSTED;
            case METHOD_NOT_ALLOWED, TIER_UNAVAILABLE, UNSUPPORTED -> ConnectCode.UNIMPLEMENTED;
            case BACKEND_LOST, PORT_CLOSED, INTERNAL -> ConnectCode.INTERNAL;
        };
    }
}
