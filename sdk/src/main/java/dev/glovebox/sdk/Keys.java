package dev.glovebox.sdk;

import dev.glovebox.wire.api.KeyList;
import dev.glovebox.wire.api.KeyRequest;
import dev.glovebox.wire.api.KeyResponse;
import java.util.List;

/// API keys, for administrators.
public final class Keys {
    private final Transport transport;

    Keys(Transport transport) {
        this.transport = transport;
    }

    /// Makes a key; only this answer holds its secret.
    public KeyResponse create(KeyRequest request) {
        return transport.json("POST", "/v1/keys", request, KeyResponse.class);
    }

    public List<KeyResponse> list() {
        return transport.json("GET", "/v1/keys", null, KeyList.class).items();
    }

    public void revoke(String id) {
        transport.send("DELETE", "/v1/keys/" + Query.encode(id), null);
    }
}
