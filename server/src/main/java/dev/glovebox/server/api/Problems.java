package dev.glovebox.server.api;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.sdk.MalformedJsonException;
import dev.glovebox.wire.api.Problem;
import java.util.UUID;

/// Whatever went wrong, as a caller may see it.
public final class Problems {
    static final String MEDIA_TYPE = "application/problem+json";

    private static final System.Logger LOG = System.getLogger(Problems.class.getName());

    private Problems() {}

    /// A refusal in its own words; anything else as an incident whose number is also in the log, and nothing
    /// more.
    public static Problem of(Throwable thrown) {
        return switch (thrown) {
            case GloveboxException e -> of(e.code(), String.valueOf(e.getMessage()));
            case MalformedJsonException e -> of(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
            default -> incident(thrown);
        };
    }

    public static Problem of(ErrorCode code, String detail) {
        return new Problem(type(code), title(code), code.httpStatus(), code.word(), detail, null);
    }

    private static Problem incident(Throwable thrown) {
        String id = UUID.randomUUID().toString();
        LOG.log(System.Logger.Level.ERROR, "incident " + id, thrown);
        return new Problem(
                type(ErrorCode.INTERNAL),
                title(ErrorCode.INTERNAL),
                ErrorCode.INTERNAL.httpStatus(),
                ErrorCode.INTERNAL.word(),
                "something went wrong inside the server; its log has the incident by its number",
                "urn:uuid:" + id);
    }

    private static String type(ErrorCode code) {
        return "urn:glovebox:problem:" + code.word();
    }

    private static String title(ErrorCode code) {
        return code.word().replace('_', ' ');
    }
}
