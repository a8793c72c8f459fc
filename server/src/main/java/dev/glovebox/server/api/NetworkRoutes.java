package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.egress.NetworkPolicy;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.NetworkResponse;
import dev.glovebox.wire.api.NetworkRules;
import java.util.List;

/// What sandboxes reach: rules and what happened.
final class NetworkRoutes {
    private static final String NETWORK = SandboxRoutes.ONE + "/network";

    private NetworkRoutes() {}

    static List<Route> all() {
        return List.of(
                new Route(
                        "GET",
                        NETWORK,
                        "What a sandbox may reach, and what it did",
                        Access.TENANT,
                        List.of(),
                        null,
                        new Answer.Json(200, NetworkResponse.class),
                        NetworkRoutes::look),
                new Route(
                        "PUT",
                        NETWORK,
                        "Replace what a sandbox may reach; connections that are no longer allowed are cut",
                        Access.TENANT,
                        List.of(),
                        NetworkRules.class,
                        new Answer.Json(200, NetworkResponse.class),
                        NetworkRoutes::replace));
    }

    private static void look(HttpCall call) {
        call.json(200, ToWire.network(call.execute(new Command.InspectNetwork(call.sandbox()))));
    }

    private static void replace(HttpCall call) {
        NetworkPolicy policy = NetworkPolicies.policy(call.body(NetworkRules.class));
        call.execute(new Command.ReplaceNetwork(call.sandbox(), policy));
        look(call);
    }
}
