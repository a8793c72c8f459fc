package dev.glovebox.server.e2b.traffic;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.e2b.TrafficError;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Why a request to a port is not served: as JSON, and as a page for people.
final class TrafficErrors {
    private TrafficErrors() {}

    /// Answers that there is no such sandbox.
    static void notFound(ServerRequest request, ServerResponse response, String sandbox) {
        answer(request, response, new TrafficError(sandbox, Destination.NOT_FOUND, null, 502));
    }

    /// Answers with a refusal of the gate.
    static void failed(ServerRequest request, ServerResponse response, SandboxTarget target, GloveboxException e) {
        String id = target.id().value();
        if (e.code() == ErrorCode.SANDBOX_NOT_FOUND || e.code() == ErrorCode.BACKEND_LOST) {
            notFound(request, response, id);
        } else if (e.code() == ErrorCode.PORT_CLOSED) {
            answer(
                    request,
                    response,
                    new TrafficError(id, "The sandbox is running but port is not open", target.port(), 502));
        } else {
            answer(
                    request,
                    response,
                    new TrafficError(id, e.getMessage(), target.port(), e.code().httpStatus()));
        }
    }

    static void answer(ServerRequest request, ServerResponse response, TrafficError error) {
        response.status(Status.create(error.code()));
        response.header(HeaderNames.CACHE_CONTROL, "no-store");
        if (error.code() == 429) {
            response.header(HeaderNames.RETRY_AFTER, "1");
        }
        if (isPerson(request)) {
            response.header(HeaderNames.CONTENT_TYPE, "text/html; charset=utf-8");
            response.header(
                    HeaderNames.create("Content-Security-Policy"), "default-src 'none'; style-src 'unsafe-inline'");
            response.send(page(error).getBytes(StandardCharsets.UTF_8));
        } else {
            response.header(HeaderNames.CONTENT_TYPE, "application/json");
            response.send(RecordJson.write(error));
        }
    }

    private static boolean isPerson(ServerRequest request) {
        return has(request, HeaderNames.ACCEPT, "text/html") && has(request, HeaderNames.USER_AGENT, "Mozilla/");
    }

    private static boolean has(ServerRequest request, io.helidon.http.HeaderName name, String part) {
        return request.headers()
                .first(name)
                .filter(value -> value.contains(part))
                .isPresent();
    }

    static String page(TrafficError error) {
        String about = about("Sandbox ", error.sandboxId()) + about(", port ", error.port());
        return """
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"><title>%d</title>
                <meta name="viewport" content="width=device-width"></head>
                <body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 10vh auto; padding: 0 1em">
                <h1>%s</h1><p>%s</p></body></html>
                """.formatted(error.code(), escape(error.message()), escape(about));
    }

    private static String about(String what, @Nullable Object value) {
        return value == null ? "" : what + value;
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
