package dev.glovebox.sdk;

import dev.glovebox.wire.api.SecretList;
import dev.glovebox.wire.api.SecretRequest;
import dev.glovebox.wire.api.SecretResponse;
import java.util.List;

/// Secrets of the key's tenant. They are sent on behalf of its sandboxes, and never come back.
public final class Secrets {
    private static final String PATH = "/v1/secrets";

    private final Transport transport;

    Secrets(Transport transport) {
        this.transport = transport;
    }

    /// Keeps one, or replaces the one of that name.
    public SecretResponse put(String name, SecretRequest request) {
        return transport.json("PUT", PATH + "/" + Query.encode(name), request, SecretResponse.class);
    }

    /// By name, without their values.
    public List<SecretResponse> list() {
        return transport.json("GET", PATH, null, SecretList.class).items();
    }

    public void remove(String name) {
        transport.send("DELETE", PATH + "/" + Query.encode(name), null);
    }
}
