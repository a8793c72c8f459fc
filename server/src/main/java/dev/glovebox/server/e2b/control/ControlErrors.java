package dev.glovebox.server.e2b.control;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.sdk.MalformedJsonException;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.api.Problems;
import dev.glovebox.wire.api.Problem;
import dev.glovebox.wire.e2b.ErrorAnswer;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerResponse;

/// Whatever went wrong, as E2B's clients expect it: `{"code": 404, "message": "…"}`.
final class ControlErrors {
    /// E2B's clients ask again by themselves, up to three times, if this is a whole number of seconds.
    private static final int RETRY_AFTER_SECONDS = 1;

    private static final int ID_CHARS_MAX = 64;

    private ControlErrors() {}

    /// The refusal that a failure stands for.
    ///
    /// @param sandbox the id that the caller named; empty if none
    static ControlError of(RuntimeException failure, String sandbox) {
        return switch (failure) {
            case ControlError error -> error;
            case GloveboxException e -> of(e, sandbox);
            case MalformedJsonException e -> ControlError.invalid("Invalid request body: " + e.getMessage());
            default -> {
                Problem incident = Problems.of(failure);
                yield new ControlError(500, incident.detail() + " (" + incident.instance() + ")");
            }
        };
    }

    private static ControlError of(GloveboxException e, String sandbox) {
        return switch (e.code()) {
            case SANDBOX_NOT_FOUND -> new ControlError(404, notFound(sandbox));
            case QUOTA_EXCEEDED, OVERLOADED ->
                new ControlError(e.code().httpStatus(), e.getMessage(), RETRY_AFTER_SECONDS);
            default -> new ControlError(e.code().httpStatus(), e.getMessage());
        };
    }

    /// The same words for a sandbox that is dead, that never was, and that is another tenant's.
    static String notFound(String sandbox) {
        String id = sandbox.length() > ID_CHARS_MAX ? sandbox.substring(0, ID_CHARS_MAX) + "…" : sandbox;
        return "Sandbox \"" + id.replaceAll("[^A-Za-z0-9…-]", "?") + "\" doesn't exist or you don't have access to it";
    }

    static void answer(ServerResponse response, ControlError error) {
        response.status(Status.create(error.status()));
        response.header(HeaderNames.CONTENT_TYPE, "application/json");
        response.header(HeaderNames.CACHE_CONTROL, "no-store");
        error.retryAfter().ifPresent(seconds -> response.header(HeaderNames.RETRY_AFTER, Integer.toString(seconds)));
        response.send(RecordJson.write(new ErrorAnswer(error.status(), String.valueOf(error.getMessage()))));
    }
}
