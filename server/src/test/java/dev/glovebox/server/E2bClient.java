package dev.glovebox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.glovebox.core.Command;
import dev.glovebox.core.Language;
import dev.glovebox.core.Principal;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.core.SandboxId;
import dev.glovebox.core.SandboxSpec;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.Tier;
import dev.glovebox.server.e2b.SandboxFacts;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Speaks to the ports of a sandbox of its own as E2B's clients do.
final class E2bClient implements AutoCloseable {
    static final String ENVD = "49983";
    static final String INTERPRETER = "49999";

    final SandboxId id;
    private final TestServer server;
    private final HttpClient client;

    E2bClient(TestServer server, HttpClient.Version version, Tier tier) throws IOException, InterruptedException {
        this.server = server;
        this.client = HttpClient.newBuilder().version(version).build();
        SandboxFacts facts = new SandboxFacts(Optional.of("base"), true, true, Optional.empty());
        SandboxSpec spec = new SandboxSpec(
                Optional.of(tier),
                Language.PYTHON,
                Duration.ofMinutes(5),
                ResourceLimits.DEFAULT,
                Map.of(),
                facts.into(Map.of()));
        this.id = server.gate
                .execute(
                        new Principal(TenantId.DEFAULT, "test", Principal.Role.TENANT), new Command.CreateSandbox(spec))
                .id();
        if (version == HttpClient.Version.HTTP_2) {
            // The first request of a client to a plain port is one of HTTP/1.1 that asks for HTTP/2.
            client.send(HttpRequest.newBuilder(server.uri("/healthz")).build(), HttpResponse.BodyHandlers.discarding());
        }
    }

    E2bClient(TestServer server) throws IOException, InterruptedException {
        this(server, HttpClient.Version.HTTP_1_1, Tier.GVISOR);
    }

    String token() {
        return server.tokens.access(id);
    }

    /// A request without a token.
    HttpRequest.Builder bare(String port, String path) {
        return HttpRequest.newBuilder(server.uri(path))
                .timeout(Duration.ofSeconds(30))
                .header("E2b-Sandbox-Id", id.value())
                .header("E2b-Sandbox-Port", port);
    }

    HttpRequest.Builder request(String port, String path) {
        return bare(port, path).header("X-Access-Token", token());
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<byte[]> sendForBytes(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    /// A call with one message either way.
    HttpResponse<String> unary(String method, String json) throws IOException, InterruptedException {
        return send(request(ENVD, "/" + method)
                .header("Content-Type", "application/json")
                .header("Connect-Protocol-Version", "1")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    HttpRequest.Builder streamRequest(String method, String json) {
        return request(ENVD, "/" + method)
                .header("Content-Type", "application/connect+json")
                .header("Connect-Protocol-Version", "1")
                .POST(HttpRequest.BodyPublishers.ofByteArray(envelope(json)));
    }

    Frames stream(String method, String json) throws IOException, InterruptedException {
        return open(streamRequest(method, json));
    }

    Frames open(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/connect+json");
        return new Frames(new DataInputStream(response.body()));
    }

    HttpResponse<InputStream> sendForStream(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    static byte[] envelope(String json) {
        byte[] payload = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + payload.length)
                .put((byte) 0)
                .putInt(payload.length)
                .put(payload)
                .array();
    }

    /// The frames of a stream.
    record Frames(DataInputStream in) implements AutoCloseable {
        /// The next frame, the last one with `end ` before it.
        String next() throws IOException {
            int flags = in.read();
            if (flags < 0) {
                throw new EOFException("the stream was cut");
            }
            byte[] payload = in.readNBytes(in.readInt());
            return (flags == 2 ? "end " : "") + new String(payload, StandardCharsets.UTF_8);
        }

        /// All frames to the last.
        List<String> rest() throws IOException {
            List<String> frames = new ArrayList<>();
            do {
                frames.add(next());
            } while (!frames.getLast().startsWith("end "));
            assertThat(in.read()).isEqualTo(-1);
            return frames;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    static byte[] multipart(Map<String, String> files) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        files.forEach(
                (name, content) -> body.writeBytes(("--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\""
                                + name + "\"\r\nContent-Type: application/octet-stream\r\n\r\n" + content + "\r\n")
                        .getBytes(StandardCharsets.UTF_8)));
        body.writeBytes("--X--\r\n".getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
