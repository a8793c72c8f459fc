package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Command;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.SandboxId;
import dev.glovebox.sdk.RecordJson;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/// One request to the control plane: who asks, what, and how it is answered. Belongs to the thread that serves it.
final class ControlCall {
    private final ControlServices services;
    private final ServerRequest request;
    private final ServerResponse response;
    private final Principal principal;

    ControlCall(ControlServices services, ServerRequest request, ServerResponse response, Principal principal) {
        this.services = services;
        this.request = request;
        this.response = response;
        this.principal = principal;
    }

    ControlServices services() {
        return services;
    }

    Principal principal() {
        return principal;
    }

    String path(String name) {
        return request.path().pathParameters().get(name);
    }

    /// The sandbox's id as the path names it; E2B's first clients append a dash and the client's id.
    static String sandboxName(ServerRequest request) {
        String text = request.path().pathParameters().first("id").orElse("");
        int dash = text.indexOf('-');
        return dash < 0 ? text : text.substring(0, dash);
    }

    SandboxId sandbox() {
        return new SandboxId(sandboxName(request));
    }

    Optional<String> query(String name) {
        return request.query().all(name, List::of).stream().findFirst();
    }

    /// The host by which the request came, with its port.
    String authority() {
        return request.headers().first(HeaderNames.HOST).orElse("");
    }

    /// The body as a record. It may be chunked or have a length; a field that the record does not have is refused.
    <T extends Record> T body(Class<T> type) {
        return RecordJson.read(type, bytes(), RecordJson.UnknownFields.REFUSED);
    }

    /// As [#body(Class)]; an empty body is as good as one without fields.
    <T extends Record> T body(Class<T> type, T empty) {
        byte[] bytes = bytes();
        return new String(bytes, java.nio.charset.StandardCharsets.UTF_8).isBlank()
                ? empty
                : RecordJson.read(type, bytes, RecordJson.UnknownFields.REFUSED);
    }

    private byte[] bytes() {
        int bound = Limits.CONTROL_REQUEST_BYTES_MAX;
        try (InputStream in = request.content().inputStream()) {
            byte[] bytes = in.readNBytes(bound + 1);
            if (bytes.length > bound) {
                throw new ControlError(413, "the request's body is larger than the bound of " + bound + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    <R> R execute(Command<R> command) {
        return services.gate().execute(principal, command);
    }

    void header(String name, String value) {
        response.header(HeaderNames.create(name), value);
    }

    void json(int status, Record answer) {
        send(status, RecordJson.write(answer));
    }

    void json(int status, List<? extends Record> answer) {
        send(status, RecordJson.write(answer));
    }

    private void send(int status, byte[] content) {
        response.status(Status.create(status));
        response.header(HeaderNames.CONTENT_TYPE, "application/json");
        response.header(HeaderNames.CACHE_CONTROL, "no-store");
        response.send(content);
    }

    void done() {
        response.status(Status.NO_CONTENT_204).send();
    }
}
