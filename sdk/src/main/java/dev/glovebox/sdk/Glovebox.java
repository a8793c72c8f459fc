package dev.glovebox.sdk;

import dev.glovebox.wire.api.Health;
import dev.glovebox.wire.api.RunRequest;
import dev.glovebox.wire.api.RunResponse;
import dev.glovebox.wire.api.TierList;
import dev.glovebox.wire.api.TierResponse;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A client of one Glovebox server. Thread-safe; calls block. Close it to close its connections.
///
///     try (Glovebox client = Glovebox.connect(URI.create("http://127.0.0.1:7070"), key)) {
///         System.out.println(client.run(RunRequest.of("python", "print(1 + 1)")).stdout());
///     }
///
/// Calls throw [ApiException] when the server refuses or fails, and [TransportException] when it cannot be
/// reached.
public final class Glovebox implements RunService {
    private final Transport transport;

    private Glovebox(Transport transport) {
        this.transport = transport;
    }

    /// Of a server by its address and an API key. Nothing is sent yet.
    public static Glovebox connect(URI address, String key) {
        return new Glovebox(new Transport(Endpoint.of(address), key));
    }

    /// Of a server on this machine by its socket file; no key is needed. Nothing is sent yet.
    public static Glovebox connect(Path socket) {
        return new Glovebox(new Transport(new Endpoint.Unix(socket), null));
    }

    /// As [#connect(Path)], if a server answers there.
    public static Optional<Glovebox> connectIfServed(Path socket) {
        Transport transport = new Transport(new Endpoint.Unix(socket), null);
        return transport.isAnswered() ? Optional.of(new Glovebox(transport)) : Optional.empty();
    }

    @Override
    public RunResponse run(RunRequest request) {
        return transport.json("POST", "/v1/run", request, RunResponse.class);
    }

    @Override
    public RunResponse run(RunRequest request, OutputListener listener) {
        return transport.call(
                "POST",
                "/v1/run",
                EventStream.MEDIA_TYPE,
                new HttpBody.Bytes(RecordJson.write(request)),
                body -> EventStream.follow(body, listener, RunResponse.class));
    }

    /// Sandboxes: make, find, list.
    public Sandboxes sandboxes() {
        return new Sandboxes(transport);
    }

    /// API keys, for administrators.
    public Keys keys() {
        return new Keys(transport);
    }

    /// Secrets of the tenant.
    public Secrets secrets() {
        return new Secrets(transport);
    }

    /// Tunnels, for administrators.
    public Tunnels tunnels() {
        return new Tunnels(transport);
    }

    /// Which tiers work on the server's machine, and why others do not.
    public List<TierResponse> tiers() {
        return transport.json("GET", "/v1/tiers", null, TierList.class).items();
    }

    /// Whether the server takes requests.
    public boolean isReady() {
        try {
            return transport.json("GET", "/readyz", null, Health.class).status().equals("ok");
        } catch (TransportException | ApiException e) {
            return false;
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
