package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Limits;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.api.ClientWatch;
import dev.glovebox.server.e2b.HeldBodies;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Calls in the Connect protocol, version 1, with JSON messages: how they are read, and how their answers and errors
/// are
/// sent. Errors of streams stand in the stream, under the status 200: clients look nowhere else.
final class Connect {
    private static final String UNARY_TYPE = "application/json";
    private static final HeaderName VERSION = HeaderNames.create("Connect-Protocol-Version");
    private static final HeaderName TIMEOUT = HeaderNames.create("Connect-Timeout-Ms");
    private static final HeaderName KEEPALIVE = HeaderNames.create("Keepalive-Ping-Interval");
    /// The protocol allows ten digits.
    private static final String TIMEOUT_FORM = "[0-9]{1,10}";

    private static final Duration KEEPALIVE_DEFAULT = Duration.ofSeconds(90);
    private static final int KEEPALIVE_DIGITS_MAX = 4;

    private Connect() {}

    /// A call with one message either way.
    interface Unary {
        /// Makes the answer, a record or a map.
        Map<String, ?> answer(ConnectMessage message) throws InterruptedException;
    }

    /// A call that is answered with a stream.
    interface Streaming {
        /// Sends messages, and returns when there are no more.
        void serve(ConnectMessage message, ConnectStream stream) throws InterruptedException;
    }

    /// A call whose messages come as a stream, and are answered with one.
    interface Receiving {
        void take(EnvelopeReader messages) throws InterruptedException;
    }

    static void unary(EnvdCall call, Unary handler) {
        call.requireToken();
        requireType(call, UNARY_TYPE);
        try {
            requireVersion(call);
            Map<String, ?> answer;
            try (HeldBodies.Body body = body(call)) {
                answer = watched(call, handler, ConnectMessage.parse(body.bytes()));
            }
            call.json(200, RecordJson.write(answer));
        } catch (InterruptedException e) {
            throw gone(e);
        } catch (CloseConnectionException | RequestException | HttpRefusal e) {
            throw e;
        } catch (RuntimeException e) {
            if (ConnectFailure.isGone(e)) {
                throw e;
            }
            ConnectFailure failure = ConnectFailure.of(e);
            call.json(failure.code().httpStatus(), RecordJson.write(failure.body()));
        }
    }

    private static Map<String, ?> watched(EnvdCall call, Unary handler, ConnectMessage message)
            throws InterruptedException {
        ClientWatch watch = ClientWatch.begin(call.request());
        call.response().whenSent(watch::awaitReader);
        try (watch) {
            return handler.answer(message);
        } catch (RuntimeException e) {
            throw watch.isGone() ? gone(e) : e;
        }
    }

    static void streaming(EnvdCall call, Streaming handler) {
        call.requireToken();
        requireType(call, ConnectStream.MEDIA_TYPE);
        try (ConnectStream stream = new ConnectStream(call.response())) {
            try {
                requireVersion(call);
                ConnectMessage message = single(call);
                watched(call, () -> handler.serve(message, stream));
                stream.end();
            } catch (CloseConnectionException | RequestException | HttpRefusal e) {
                throw e;
            } catch (RuntimeException e) {
                fail(stream, e);
            }
        }
    }

    static void receiving(EnvdCall call, Receiving handler) {
        call.requireToken();
        requireType(call, ConnectStream.MEDIA_TYPE);
        try (ConnectStream stream = new ConnectStream(call.response())) {
            try {
                requireVersion(call);
                handler.take(new EnvelopeReader(call.request().content().inputStream(), Limits.ENVD_START_BYTES_MAX));
                stream.send(Map.of());
                stream.end();
            } catch (InterruptedException e) {
                throw gone(e);
            } catch (CloseConnectionException | RequestException | HttpRefusal e) {
                throw e;
            } catch (RuntimeException e) {
                fail(stream, e);
            }
        }
    }

    /// Never a clean end: with the error's words, or, where the sandbox is gone, by breaking the connection, after
    /// which
    /// clients ask for the sandbox' health.
    private static void fail(ConnectStream stream, RuntimeException e) {
        if (!ConnectFailure.isGone(e)) {
            stream.fail(ConnectFailure.of(e));
        } else if (stream.hasBegun()) {
            throw new CloseConnectionException("the sandbox is gone", e);
        } else {
            throw e;
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private static void watched(EnvdCall call, Work work) {
        ClientWatch watch = ClientWatch.begin(call.request());
        call.response().whenSent(watch::awaitReader);
        try (watch) {
            work.run();
        } catch (InterruptedException e) {
            throw gone(e);
        } catch (RuntimeException e) {
            throw watch.isGone() ? gone(e) : e;
        }
    }

    private static CloseConnectionException gone(Exception cause) {
        return new CloseConnectionException("the client went away", cause);
    }

    private static void requireType(EnvdCall call, String type) {
        String given = call.header(HeaderNames.CONTENT_TYPE).orElse("");
        int end = given.indexOf(';');
        String bare = (end < 0 ? given : given.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        if (!bare.equals(type)) {
            throw new HttpRefusal(415, "this call takes the content type " + type);
        }
        Optional<String> coding = call.header(HeaderNames.CONTENT_ENCODING).filter(name -> !name.equals("identity"));
        if (coding.isPresent()) {
            throw new HttpRefusal(415, "messages are not compressed here");
        }
    }

    private static void requireVersion(EnvdCall call) {
        if (!call.header(VERSION).orElse("1").equals("1")) {
            throw ConnectFailure.invalid("the header Connect-Protocol-Version must be 1");
        }
    }

    private static HeldBodies.Body body(EnvdCall call) throws InterruptedException {
        HeldBodies.Body body =
                call.bodies().read(call.request().content().inputStream(), Limits.ENVD_MESSAGE_BYTES_MAX);
        if (body.bytes().length > Limits.ENVD_MESSAGE_BYTES_MAX) {
            body.close();
            throw EnvelopeReader.tooLarge(body.bytes().length, Limits.ENVD_MESSAGE_BYTES_MAX);
        }
        return body;
    }

    private static ConnectMessage single(EnvdCall call) {
        EnvelopeReader reader = new EnvelopeReader(call.request().content().inputStream(), Limits.ENVD_START_BYTES_MAX);
        ConnectMessage message = reader.next().orElseThrow(() -> ConnectFailure.invalid("the message is missing"));
        if (reader.next().isPresent()) {
            throw ConnectFailure.invalid("this call takes one message");
        }
        return message;
    }

    /// How long the caller wants the call to take at most; empty: as long as it takes.
    static Optional<Duration> timeout(EnvdCall call) {
        return call.header(TIMEOUT).map(text -> {
            if (!text.matches(TIMEOUT_FORM)) {
                throw ConnectFailure.invalid("the header Connect-Timeout-Ms must be 1 to 10 digits");
            }
            return Duration.ofMillis(Long.parseLong(text));
        });
    }

    /// After how long a silence the caller wants to hear that the stream still lives.
    static Duration keepalive(EnvdCall call) {
        return call.header(KEEPALIVE)
                .filter(text -> text.length() <= KEEPALIVE_DIGITS_MAX && text.matches("[1-9][0-9]*"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .orElse(KEEPALIVE_DEFAULT);
    }
}
