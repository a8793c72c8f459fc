package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.ExecutionError;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.server.api.ClientWatch;
import dev.glovebox.server.e2b.ResponseStream;
import dev.glovebox.wire.e2b.CodeRequest;
import io.helidon.webserver.CloseConnectionException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// `/execute`: runs code in a context and sends what it says as it says it. When the client goes away, the code is
/// interrupted.
final class Executions {
    private static final String MEDIA_TYPE = "application/x-ndjson";
    private static final Duration KEEPALIVE = Duration.ofSeconds(5);

    private final InterpreterCall call;
    private final EventLines lines;
    private final CodeContext context;
    private final CodeContext.Gateway gateway;
    private final Outbox outbox = new Outbox();
    private final Run run = new Run();

    private Executions(InterpreterCall call, EventLines lines, CodeContext context) {
        this.call = call;
        this.lines = lines;
        this.context = context;
        this.gateway = call.gateway();
    }

    static void serve(InterpreterCall call, EventLines lines) {
        CodeRequest request = call.body(CodeRequest.class);
        if (request.contextId() != null && request.language() != null) {
            throw new Refusal(400, "Only one of context_id or language can be provided");
        }
        String id = request.contextId();
        CodeContext context = id != null
                ? call.contexts().find(id)
                : call.contexts()
                        .ofLanguage(CodeLanguage.of(
                                Objects.requireNonNullElse(request.language(), call.defaultLanguage()), call.tier()));
        new Executions(call, lines, context)
                .run(request.code(), Objects.requireNonNullElse(request.environment(), Map.of()));
    }

    private void run(String code, Map<String, String> environment) {
        // What cannot be executed at all is refused before the stream begins.
        context.open(gateway);
        Thread worker = Thread.ofVirtual().name("e2b-execute").start(() -> execute(code, environment));
        ClientWatch watch = ClientWatch.begin(call.request());
        call.response().whenSent(watch::awaitReader);
        try (ResponseStream stream = new ResponseStream(call.response(), MEDIA_TYPE)) {
            boolean isWhole = false;
            try (watch) {
                follow(stream);
                isWhole = true;
            } catch (InterruptedException e) {
                throw new CloseConnectionException("the client went away", e);
            } finally {
                if (!isWhole) {
                    giveUp(worker);
                }
            }
            stream.finish();
        }
    }

    private void follow(ResponseStream stream) throws InterruptedException {
        while (true) {
            Optional<Outbox.Item> item = outbox.next(KEEPALIVE);
            switch (item.orElse(null)) {
                case null -> stream.write(lines.keepalive());
                case Outbox.Item.Line(byte[] bytes) -> stream.write(bytes);
                case Outbox.Item.End _ -> {
                    stream.write(lines.end());
                    return;
                }
                case Outbox.Item.Failed(RuntimeException why) -> {
                    if (stream.hasBegun()) {
                        throw new CloseConnectionException("the execution failed", why);
                    }
                    throw why;
                }
            }
        }
    }

    private void execute(String code, Map<String, String> environment) {
        try {
            Kernel.Answer answer = context.execute(gateway, code, environment, run);
            if (!call.isSandboxRunning()) {
                // How it ended is how the sandbox ended, which clients are told otherwise.
                throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox ended");
            }
            run.finishText();
            answer.error().ifPresent(this::tell);
            outbox.end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            outbox.end();
        } catch (RuntimeException e) {
            outbox.fail(e);
        }
    }

    private void tell(ExecutionError error) {
        outbox.put(lines.error(error.name(), error.value(), error.traceback()));
    }

    /// The client has gone: ends the execution, but not that of another in the same context, for whose end this one may
    /// still wait.
    private void giveUp(Thread worker) {
        outbox.close();
        if (run.giveUp()) {
            try {
                context.interrupt(gateway);
            } catch (GloveboxException e) {
                if (e.code() != ErrorCode.SANDBOX_NOT_FOUND && e.code() != ErrorCode.BACKEND_LOST) {
                    throw e;
                }
            }
        } else {
            worker.interrupt();
        }
    }

    /// Hands on what the code says.
    private final class Run implements CodeContext.Run {
        private final Utf8Text stdout = new Utf8Text();
        private final Utf8Text stderr = new Utf8Text();
        private boolean isRunning;
        private boolean isGivenUp;

        @Override
        public void turn(long number) {
            outbox.put(lines.number(number));
        }

        @Override
        public void running(long guestPid) {
            synchronized (this) {
                isRunning = true;
                if (!isGivenUp) {
                    return;
                }
            }
            context.interrupt(gateway);
        }

        /// Whether the code runs, so that it is to be interrupted.
        synchronized boolean giveUp() {
            isGivenUp = true;
            return isRunning;
        }

        @Override
        public void stdout(byte[] bytes) {
            say(false, stdout.push(bytes));
        }

        @Override
        public void stderr(byte[] bytes) {
            say(true, stderr.push(bytes));
        }

        private void say(boolean isError, String text) {
            if (!text.isEmpty()) {
                outbox.put(lines.output(isError, text));
            }
        }

        void finishText() {
            say(false, stdout.finish());
            say(true, stderr.finish());
        }

        @Override
        public void result(MimeBundle bundle) {
            outbox.put(lines.result(bundle));
        }
    }
}
