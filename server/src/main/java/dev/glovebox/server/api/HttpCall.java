package dev.glovebox.server.api;

import dev.glovebox.core.ByteSink;
import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ProcessId;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.engine.Gate;
import dev.glovebox.sdk.RecordJson;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One request: who asks, what, and how it is answered. Belongs to the thread that serves it.
final class HttpCall {
    private final ServerRequest request;
    private final ServerResponse response;
    private final Gate gate;
    private final Principal principal;
    private final AcceptedSockets sockets;
    private @Nullable ClientWatch watch;

    HttpCall(ServerRequest request, ServerResponse response, Gate gate, Principal principal, AcceptedSockets sockets) {
        this.request = request;
        this.response = response;
        this.gate = gate;
        this.principal = principal;
        this.sockets = sockets;
    }

    Principal principal() {
        return principal;
    }

    /// A parameter of the path.
    String path(String name) {
        return request.path().pathParameters().get(name);
    }

    SandboxId sandbox() {
        return new SandboxId(path("id"));
    }

    Optional<String> query(String name) {
        return request.query().all(name, List::of).stream().findFirst();
    }

    String requiredQuery(String name) {
        return query(name).orElseThrow(() -> ToCore.invalid("the query parameter '" + name + "' is missing"));
    }

    List<String> queries(String name) {
        return request.query().all(name, List::of);
    }

    /// The body as a record. A field that it does not have is refused by its name.
    <T extends Record> T body(Class<T> type) {
        long announced = request.headers().contentLength().orElse(0);
        if (announced > Limits.REQUEST_BYTES_MAX) {
            throw BoundedInput.tooLarge();
        }
        InputStream in = new BoundedInput(request.content().inputStream(), Limits.REQUEST_BYTES_MAX);
        return RecordJson.read(type, in, RecordJson.UnknownFields.REFUSED);
    }

    /// The body as it is; to be closed before the answer.
    WideInput bytes() {
        return WideInput.of(request, sockets);
    }

    /// The connection itself, which the client wants to speak another protocol on.
    PortStream portStream() {
        ConnectionContext connection = ConnectionTracker.current(request);
        boolean isAsked = has(HeaderNames.UPGRADE, PortStream.PROTOCOL) && has(HeaderNames.CONNECTION, "upgrade");
        if (connection == null || !isAsked) {
            throw ToCore.invalid("a port is reached over HTTP/1.1 with 'Connection: Upgrade' and 'Upgrade: "
                    + PortStream.PROTOCOL + "'; 'glovebox forward' does it");
        }
        if (connection.isSecure()) {
            throw ToCore.invalid("over TLS a port is reached by its name, {port}-{sandbox}.{domain}: connect to the"
                    + " plain port or to the local socket instead");
        }
        if (request.content().hasEntity()) {
            throw ToCore.invalid("a request for a port has no body: what is sent to it follows the answer");
        }
        return new PortStream(sockets.of(connection), connection.dataReader());
    }

    /// Whether one of a header's words is this one.
    private boolean has(HeaderName header, String word) {
        return request.headers().values(header).stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .anyMatch(part -> part.strip().equalsIgnoreCase(word));
    }

    <R> R execute(Command<R> command) {
        return gate.execute(principal, command);
    }

    /// Has a command with output done, and answers as the client asked: at once or as it comes.
    ///
    /// @param limits the command's limits
    /// @param answer makes the last word from the result and the output; the output is empty when it was
    ///     streamed
    <R> void execute(
            Command<R> command, ResourceLimits limits, BiFunction<R, CollectedOutput, ? extends Record> answer) {
        execute(command, limits, answer, null);
    }

    /// As [#execute(Command, ResourceLimits, BiFunction)]; `onStart` gets the process' id first and must not
    /// block.
    <R> void execute(
            Command<R> command,
            ResourceLimits limits,
            BiFunction<R, CollectedOutput, ? extends Record> answer,
            @Nullable Consumer<ProcessId> onStart) {
        boolean isStreamed = request.headers()
                .first(HeaderNames.ACCEPT)
                .filter(accept -> accept.contains(EventSink.MEDIA_TYPE))
                .isPresent();
        if (isStreamed) {
            stream(command, answer, onStart);
        } else {
            collect(command, limits, answer, onStart);
        }
    }

    private <R> void collect(
            Command<R> command,
            ResourceLimits limits,
            BiFunction<R, CollectedOutput, ? extends Record> answer,
            @Nullable Consumer<ProcessId> onStart) {
        if (limits.outputBytes() > Limits.BUFFERED_OUTPUT_BYTES_MAX) {
            throw ToCore.invalid("an output limit of " + limits.outputBytes() + " bytes is more than the "
                    + Limits.BUFFERED_OUTPUT_BYTES_MAX
                    + " that one answer holds: have it streamed with 'Accept: text/event-stream'");
        }
        CollectedOutput output = new CollectedOutput();
        ClientWatch watching = watchClient();
        R result;
        try {
            result = gate.execute(principal, command, new StartHook(output, onStart));
        } finally {
            watching.close();
        }
        json(200, answer.apply(result, output));
    }

    private <R> void stream(
            Command<R> command,
            BiFunction<R, CollectedOutput, ? extends Record> answer,
            @Nullable Consumer<ProcessId> onStart) {
        ClientWatch watching = watchClient();
        try (EventSink sink = new EventSink(response, watching)) {
            try (watching) {
                R result = gate.execute(principal, command, new StartHook(sink, onStart));
                watching.close();
                abortIfGone();
                sink.done(answer.apply(result, new CollectedOutput()));
            } catch (RuntimeException e) {
                watching.close();
                abortIfGone();
                if (!sink.hasBegun()) {
                    throw e;
                }
                sink.failed(Problems.of(e));
            }
        }
    }

    /// Answers with events, for as long as `work` goes on and the client listens.
    ///
    /// @param last told at the end
    void events(Record last, Consumer<EventSink> work) {
        ClientWatch watching = watchClient();
        try (EventSink sink = new EventSink(response, watching)) {
            try (watching) {
                work.accept(sink);
                watching.close();
                abortIfGone();
                sink.done(last);
            } catch (RuntimeException e) {
                watching.close();
                abortIfGone();
                if (!sink.hasBegun()) {
                    throw e;
                }
                sink.failed(Problems.of(e));
            }
        }
    }

    private ClientWatch watchClient() {
        ClientWatch watching = ClientWatch.begin(request);
        watch = watching;
        response.whenSent(watching::awaitReader);
        return watching;
    }

    /// Answers with a record.
    void json(int status, Record answer) {
        send(status, "application/json", RecordJson.write(answer));
    }

    /// Answers with bytes that are there.
    void send(int status, String mediaType, byte[] content) {
        abortIfGone();
        response.status(Status.create(status));
        response.header(HeaderNames.CONTENT_TYPE, mediaType);
        response.header(HeaderNames.CACHE_CONTROL, "no-store");
        response.send(content);
    }

    /// Answers that it is done.
    void done() {
        abortIfGone();
        response.status(Status.NO_CONTENT_204).send();
    }

    /// Answers with bytes as they come. What fails before the first of them is a problem as usual; after it, the
    /// connection breaks, so that the client does not take a part for the whole.
    void sendBytes(Consumer<ByteSink> writer) {
        LazyOutput output = new LazyOutput();
        try {
            writer.accept(output);
            output.open().close();
        } catch (IOException e) {
            throw new CloseConnectionException("the client went away", e);
        } catch (RuntimeException e) {
            if (output.stream != null) {
                throw new CloseConnectionException("the file could not be sent to its end", e);
            }
            throw e;
        }
    }

    private void abortIfGone() {
        if (watch != null && watch.isGone()) {
            throw new CloseConnectionException("the client went away");
        }
    }

    /// Opens the response at its first byte.
    private final class LazyOutput implements ByteSink {
        private @Nullable OutputStream stream;

        OutputStream open() {
            OutputStream opened = stream;
            if (opened == null) {
                response.header(HeaderNames.CONTENT_TYPE, "application/octet-stream");
                response.header(HeaderNames.create("X-Content-Type-Options"), "nosniff");
                opened = wide(response.outputStream());
                stream = opened;
            }
            return opened;
        }

        private OutputStream wide(OutputStream body) {
            ConnectionContext connection = ConnectionTracker.current(request);
            return connection == null || connection.isSecure() ? body : new WideOutput(body, sockets.of(connection));
        }

        @Override
        public void write(byte[] bytes) {
            try {
                open().write(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void write(ByteBuffer bytes) {
            if (!(open() instanceof WideOutput wide)) {
                ByteSink.super.write(bytes);
                return;
            }
            try {
                wide.write(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /// Tells a process' id before the sink gets it.
    private record StartHook(ExecutionSink sink, @Nullable Consumer<ProcessId> onStart) implements ExecutionSink {
        @Override
        public void started(ProcessId process) {
            if (onStart != null) {
                onStart.accept(process);
                sink.started(process);
            }
        }

        @Override
        public void stdout(byte[] bytes) {
            sink.stdout(bytes);
        }

        @Override
        public void stderr(byte[] bytes) {
            sink.stderr(bytes);
        }

        @Override
        public void result(dev.glovebox.core.MimeBundle bundle) {
            sink.result(bundle);
        }
    }

    /// A refusal for everybody who asks for what only administrators may have.
    static GloveboxException forbidden() {
        return new GloveboxException(ErrorCode.FORBIDDEN, "this needs an administrator's key");
    }
}
