package dev.glovebox.conformance;

import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.api.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.UnaryOperator;

/// Requests as bytes: what the SDK would not send, and answers as the server sent them. Close it to end its threads.
public final class Raw implements AutoCloseable {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(60);

    private final Target target;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public Raw(Target target) {
        this.target = target;
    }

    /// An answer, read to its end.
    ///
    /// @param media what its `Content-Type` says
    public record Answer(int status, String media, java.net.http.HttpHeaders headers, String body) {
        public Problem problem() {
            return RecordJson.read(
                    Problem.class, body.getBytes(StandardCharsets.UTF_8), RecordJson.UnknownFields.REFUSED);
        }
    }

    /// With the target's key.
    public Answer send(String method, String path, String body) {
        return send(method, path, body, request -> request.header("Authorization", "Bearer " + target.key()));
    }

    /// With what headers `more` sets, and no key otherwise.
    public Answer send(String method, String path, String body, UnaryOperator<HttpRequest.Builder> more) {
        HttpResponse<String> response =
                exchange(request(method, path, body, more), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.headers(),
                response.body());
    }

    /// With the target's key; the body is read as it comes.
    public HttpResponse<InputStream> stream(String path, String body) {
        return exchange(
                request(
                        "POST",
                        path,
                        body,
                        request -> request.header("Authorization", "Bearer " + target.key())
                                .header("Accept", "text/event-stream")),
                HttpResponse.BodyHandlers.ofInputStream());
    }

    private HttpRequest request(String method, String path, String body, UnaryOperator<HttpRequest.Builder> more) {
        URI uri = URI.create(target.address() + path);
        HttpRequest.BodyPublisher publisher = body.isEmpty()
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8);
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(uri).timeout(ANSWER_MAX).method(method, publisher);
        if (!body.isEmpty()) {
            builder.header("Content-Type", "application/json");
        }
        return more.apply(builder).build();
    }

    private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return client.send(request, handler);
        } catch (IOException e) {
            throw new IllegalStateException("the server did not answer " + request.method() + " " + request.uri(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
