package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.TenantId;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.KeyList;
import dev.glovebox.wire.api.KeyRequest;
import dev.glovebox.wire.api.KeyResponse;
import java.util.List;

/// API keys, for administrators.
final class KeyRoutes {
    private static final String ALL = "/v1/keys";

    private KeyRoutes() {}

    static List<Route> all() {
        return List.of(
                new Route(
                        "POST",
                        ALL,
                        "Make a key; only this answer holds its secret",
                        Access.ADMIN,
                        List.of(),
                        KeyRequest.class,
                        new Answer.Json(201, KeyResponse.class),
                        KeyRoutes::create),
                new Route(
                        "GET",
                        ALL,
                        "List the keys, oldest first",
                        Access.ADMIN,
                        List.of(),
                        null,
                        new Answer.Json(200, KeyList.class),
                        call -> call.json(
                                200,
                                new KeyList(call.execute(new Command.ListKeys()).stream()
                                        .map(key -> ToWire.key(key, null))
                                        .toList()))),
                new Route(
                        "DELETE",
                        ALL + "/{id}",
                        "Revoke a key",
                        Access.ADMIN,
                        List.of(),
                        null,
                        new Answer.Nothing(),
                        call -> {
                            call.execute(new Command.RevokeKey(call.path("id")));
                            call.done();
                        }));
    }

    private static void create(HttpCall call) {
        KeyRequest request = call.body(KeyRequest.class);
        TenantId tenant = request.tenant() == null ? call.principal().tenant() : new TenantId(request.tenant());
        String label = request.label() == null ? "" : request.label();
        Command.NewKey made = call.execute(new Command.CreateKey(tenant, ToCore.role(request.role()), label));
        call.json(201, ToWire.key(made.key(), made.secret()));
    }
}
