package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.Command;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.Limits;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.Tier;
import dev.glovebox.engine.Gate;
import dev.glovebox.sdk.MalformedJsonException;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.e2b.HeldBodies;
import dev.glovebox.server.e2b.traffic.SandboxTarget;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// One request to a sandbox's code interpreter. Belongs to the thread that serves it.
final class InterpreterCall {
    private final InterpreterServices services;
    private final SandboxTarget target;
    private final ServerRequest request;
    private final ServerResponse response;
    private final SandboxContexts contexts;

    InterpreterCall(
            InterpreterServices services,
            SandboxTarget target,
            ServerRequest request,
            ServerResponse response,
            SandboxContexts contexts) {
        this.services = services;
        this.target = target;
        this.request = request;
        this.response = response;
        this.contexts = contexts;
    }

    ServerRequest request() {
        return request;
    }

    ServerResponse response() {
        return response;
    }

    SandboxContexts contexts() {
        return contexts;
    }

    boolean isSandboxRunning() {
        return services.isRunning().test(target.id());
    }

    Tier tier() {
        return target.sandbox().tier();
    }

    /// The language of who names none: what the sandbox is mostly for.
    String defaultLanguage() {
        return target.sandbox().made().language().word();
    }

    /// The gate, for this sandbox. May be used by other threads, and after the request.
    CodeContext.Gateway gateway() {
        ResourceLimits sandbox = target.sandbox().made().limits();
        ResourceLimits limits = new ResourceLimits(
                Limits.WALL_TIME_MAX,
                Limits.CPU_TIME_MAX,
                sandbox.memoryBytes(),
                Limits.OUTPUT_BYTES_MAX,
                sandbox.diskBytes(),
                sandbox.fileCount());
        return new SandboxGateway(services.gate(), target, limits);
    }

    private record SandboxGateway(Gate gate, SandboxTarget target, ResourceLimits limits)
            implements CodeContext.Gateway {
        @Override
        public <R> R execute(Command<R> command, ExecutionSink sink) {
            return gate.execute(target.principal(), command, sink);
        }

        @Override
        public SandboxId sandbox() {
            return target.id();
        }
    }

    /// The body as a record; what it does not know is passed over, for newer clients say more.
    <T extends Record> T body(Class<T> type) {
        try (HeldBodies.Body body =
                services.bodies().read(request.content().inputStream(), Limits.ENVD_MESSAGE_BYTES_MAX)) {
            if (body.bytes().length > Limits.ENVD_MESSAGE_BYTES_MAX) {
                throw new Refusal(
                        413,
                        "the request is larger than the bound of " + Limits.ENVD_MESSAGE_BYTES_MAX
                                + " bytes: put data into files");
            }
            return RecordJson.read(type, body.bytes(), RecordJson.UnknownFields.PASSED_OVER);
        } catch (MalformedJsonException e) {
            throw new Refusal(400, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CloseConnectionException("the server closes the connection", e);
        }
    }

    void json(int status, Record answer) {
        send(status, "application/json", RecordJson.write(answer));
    }

    void json(int status, List<?> answer) {
        send(status, "application/json", RecordJson.write(answer));
    }

    void done() {
        response.status(Status.NO_CONTENT_204).send();
    }

    void text(int status, String words) {
        if (status == 429 || status == 503) {
            response.header(HeaderNames.RETRY_AFTER, "1");
        }
        send(status, "text/plain; charset=utf-8", words.getBytes(StandardCharsets.UTF_8));
    }

    void send(int status, String mediaType, byte[] content) {
        response.status(Status.create(status));
        response.header(HeaderNames.CONTENT_TYPE, mediaType);
        response.header(HeaderNames.CACHE_CONTROL, "no-store");
        response.send(content);
    }
}
