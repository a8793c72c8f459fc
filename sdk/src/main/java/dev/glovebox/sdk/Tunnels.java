package dev.glovebox.sdk;

import dev.glovebox.wire.api.TunnelList;
import dev.glovebox.wire.api.TunnelRequest;
import dev.glovebox.wire.api.TunnelResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tunnels to services that sandboxes may name, for administrators.
public final class Tunnels {
    private static final String PATH = "/v1/tunnels";

    private final Transport transport;

    Tunnels(Transport transport) {
        this.transport = transport;
    }

    /// Defines one, or replaces the one of that name.
    public TunnelResponse put(String name, TunnelRequest request) {
        return transport.json("PUT", PATH + "/" + Query.encode(name), request, TunnelResponse.class);
    }

    /// By name.
    ///
    /// @param tenant whose; null: the administrator's own
    public List<TunnelResponse> list(@Nullable String tenant) {
        return transport.json("GET", of(PATH, tenant), null, TunnelList.class).items();
    }

    /// Cuts what goes through it.
    ///
    /// @param tenant whose; null: the administrator's own
    public void remove(String name, @Nullable String tenant) {
        transport.send("DELETE", of(PATH + "/" + Query.encode(name), tenant), null);
    }

    private static String of(String path, @Nullable String tenant) {
        Query query = new Query(path);
        if (tenant != null) {
            query.with("tenant", tenant);
        }
        return query.toString();
    }
}
