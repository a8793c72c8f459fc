package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.Limits;
import dev.glovebox.core.TenantId;
import dev.glovebox.core.egress.Tunnel;
import dev.glovebox.core.egress.TunnelName;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.TunnelList;
import dev.glovebox.wire.api.TunnelRequest;
import dev.glovebox.wire.api.TunnelResponse;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tunnels to services, for administrators.
final class TunnelRoutes {
    private static final String TUNNELS = "/v1/tunnels";

    /// A week: more would be a typing error.
    private static final long IDLE_SECONDS_MAX = 7L * 24 * 3600;

    private TunnelRoutes() {}

    static List<Route> all() {
        return List.of(
                new Route(
                        "GET",
                        TUNNELS,
                        "List a tenant's tunnels by name",
                        Access.ADMIN,
                        List.of(Route.optional("tenant", "whose; left out: the administrator's own")),
                        null,
                        new Answer.Json(200, TunnelList.class),
                        TunnelRoutes::tunnels),
                new Route(
                        "PUT",
                        TUNNELS + "/{name}",
                        "Define a tunnel, or replace the one of that name; sandboxes that use it follow at once",
                        Access.ADMIN,
                        List.of(),
                        TunnelRequest.class,
                        new Answer.Json(200, TunnelResponse.class),
                        TunnelRoutes::putTunnel),
                new Route(
                        "DELETE",
                        TUNNELS + "/{name}",
                        "Remove a tunnel and cut what goes through it",
                        Access.ADMIN,
                        List.of(Route.optional("tenant", "whose; left out: the administrator's own")),
                        null,
                        new Answer.Nothing(),
                        call -> {
                            call.execute(new Command.RemoveTunnel(tenant(call), new TunnelName(call.path("name"))));
                            call.done();
                        }));
    }

    private static TenantId tenant(HttpCall call) {
        return call.query("tenant").map(TenantId::new).orElse(call.principal().tenant());
    }

    private static void tunnels(HttpCall call) {
        TenantId tenant = tenant(call);
        call.json(
                200,
                new TunnelList(call.execute(new Command.ListTunnels(tenant)).stream()
                        .map(tunnel -> tunnel(tenant, tunnel))
                        .toList()));
    }

    private static void putTunnel(HttpCall call) {
        TunnelRequest request = call.body(TunnelRequest.class);
        TenantId tenant = request.tenant() == null ? call.principal().tenant() : new TenantId(request.tenant());
        Long bytes = request.bytes();
        Tunnel tunnel = new Tunnel(
                new TunnelName(call.path("name")),
                request.host(),
                request.port(),
                Boolean.TRUE.equals(request.tls()),
                request.connections() == null ? Limits.TUNNEL_CONNECTIONS_DEFAULT : request.connections(),
                bytes == null ? 0 : bytes,
                idle(request.idleSeconds()));
        call.json(200, tunnel(tenant, call.execute(new Command.PutTunnel(tenant, tunnel))));
    }

    private static Duration idle(@Nullable Long seconds) {
        if (seconds == null) {
            return Limits.TUNNEL_IDLE_DEFAULT;
        }
        if (seconds < 1 || seconds > IDLE_SECONDS_MAX) {
            throw ToCore.invalid("idleSeconds, " + seconds + ", is outside 1.." + IDLE_SECONDS_MAX);
        }
        return Duration.ofSeconds(seconds);
    }

    private static TunnelResponse tunnel(TenantId tenant, Tunnel tunnel) {
        return new TunnelResponse(
                tunnel.name().value(),
                tenant.value(),
                tunnel.host(),
                tunnel.port(),
                tunnel.isTls(),
                tunnel.connectionsMax(),
                tunnel.bytesMax(),
                tunnel.idleMax().toSeconds());
    }
}
