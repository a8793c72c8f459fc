package dev.glovebox.server.api;

import io.helidon.common.GenericType;
import io.helidon.common.media.type.MediaType;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http.spi.Sink;
import io.helidon.webserver.http.spi.SinkProvider;
import io.helidon.webserver.http.spi.SinkProviderContext;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.function.BiConsumer;

/// A response whose head goes out before there is anything of its body: Helidon holds the head back until the first
/// byte, and a client that waits for it would take a quiet stream for a server that does not answer. Of what Helidon
/// offers, only a sink can send the head alone; this is the sink, found as a service.
public final class EarlyResponse implements Sink<byte[]> {
    private static final GenericType<EarlyResponse> TYPE = GenericType.create(EarlyResponse.class);

    private final OutputStream body;
    private final Runnable commit;

    private EarlyResponse(OutputStream body, Runnable commit) {
        this.body = body;
        this.commit = commit;
    }

    /// Sends status and headers of a response. From then on [ServerResponse#isSent] is true.
    public static EarlyResponse begin(ServerResponse response) {
        return response.sink(TYPE);
    }

    /// Sends a part of the body now.
    @Override
    public EarlyResponse emit(byte[] bytes) {
        try {
            body.write(bytes);
            body.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /// The body is complete. Without this the client does not take what it got for the whole.
    @Override
    public void close() {
        commit.run();
    }

    /// Makes them. Only Helidon calls this.
    public static final class Provider implements SinkProvider<byte[]> {
        @Override
        public boolean supports(GenericType<? extends Sink<?>> type, ServerRequest request) {
            return TYPE.equals(type);
        }

        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Helidon's signature.
        public <X extends Sink<byte[]>> X create(SinkProviderContext context) {
            OutputStream body = context.serverResponse().outputStream();
            context.flushHeaders();
            return (X) new EarlyResponse(body, context.closeRunnable());
        }

        @Override
        @Deprecated
        @SuppressWarnings({"removal", "TypeParameterUnusedInFormals"})
        public <X extends Sink<byte[]>> X create(
                ServerResponse response, BiConsumer<Object, MediaType> consumer, Runnable close) {
            throw new UnsupportedOperationException("a sink is made from its context");
        }
    }
}
