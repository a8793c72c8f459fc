package dev.glovebox.sdk;

import dev.glovebox.wire.api.SandboxPage;
import dev.glovebox.wire.api.SandboxRequest;
import dev.glovebox.wire.api.SandboxResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The sandboxes of the key's tenant.
public final class Sandboxes {
    private static final String PATH = "/v1/sandboxes";

    private final Transport transport;

    Sandboxes(Transport transport) {
        this.transport = transport;
    }

    /// Makes one that takes commands when this returns.
    public Sandbox create(SandboxRequest request) {
        return new Sandbox(transport, transport.json("POST", PATH, request, SandboxResponse.class));
    }

    /// One of them.
    ///
    /// @throws IllegalArgumentException if the id is empty
    /// @throws ApiException if there is none of this id
    public Sandbox get(String id) {
        if (id.isEmpty()) {
            throw new IllegalArgumentException(
                    "the id of the sandbox is empty: name one of those that there are ('glovebox ps')");
        }
        return new Sandbox(
                transport, transport.json("GET", PATH + "/" + Query.encode(id), null, SandboxResponse.class));
    }

    /// One page, newest first.
    ///
    /// @param metadata all must match
    /// @param cursor the `next` of the page before; null for the first
    public SandboxPage page(Map<String, String> metadata, int size, @Nullable String cursor) {
        Query query = new Query(PATH).with("limit", Integer.toString(size));
        metadata.forEach((name, value) -> query.with("metadata", name + "=" + value));
        if (cursor != null) {
            query.with("cursor", cursor);
        }
        return transport.json("GET", query.toString(), null, SandboxPage.class);
    }

    /// All that are alive, newest first.
    public List<SandboxResponse> all(Map<String, String> metadata) {
        List<SandboxResponse> all = new ArrayList<>();
        String cursor = null;
        do {
            SandboxPage page = page(metadata, 1000, cursor);
            all.addAll(page.items());
            cursor = page.next();
        } while (cursor != null);
        return all;
    }
}
