package dev.glovebox.server.e2b.envd;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerResponse;

/// Lets pages of any origin call: what lets a caller in is a header that a browser never adds by itself, so a page can
/// do
/// no more than whoever wrote it.
final class Cors {
    private static final HeaderName ORIGIN = HeaderNames.create("Access-Control-Allow-Origin");
    private static final HeaderName METHODS = HeaderNames.create("Access-Control-Allow-Methods");
    private static final HeaderName HEADERS = HeaderNames.create("Access-Control-Allow-Headers");
    private static final HeaderName EXPOSED = HeaderNames.create("Access-Control-Expose-Headers");
    private static final HeaderName AGE = HeaderNames.create("Access-Control-Max-Age");
    private static final String AGE_SECONDS = "7200";

    private Cors() {}

    static void allow(ServerResponse response) {
        response.header(ORIGIN, "*");
        response.header(
                EXPOSED,
                "Location, Content-Disposition, ETag, Connect-Content-Encoding, Connect-Accept-Encoding, Grpc-Status,"
                        + " Grpc-Message, Grpc-Status-Details-Bin");
    }

    /// Answers a browser's question before a call.
    static void answer(EnvdCall call) {
        ServerResponse response = call.response();
        response.header(METHODS, "GET, POST, PUT, DELETE, OPTIONS, HEAD, PATCH");
        response.header(
                HEADERS,
                call.header(HeaderNames.create("Access-Control-Request-Headers"))
                        .orElse("*"));
        response.header(AGE, AGE_SECONDS);
        response.status(Status.NO_CONTENT_204).send();
    }
}
