package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.egress.HostPattern;
import dev.glovebox.core.secret.Secret;
import dev.glovebox.core.secret.SecretName;
import dev.glovebox.core.secret.SecretValue;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.SecretList;
import dev.glovebox.wire.api.SecretRequest;
import dev.glovebox.wire.api.SecretResponse;
import java.util.List;

/// Secrets of the tenant: put, listed, removed, and never told.
final class SecretRoutes {
    private static final String SECRETS = "/v1/secrets";

    private SecretRoutes() {}

    static List<Route> all() {
        return List.of(
                new Route(
                        "GET",
                        SECRETS,
                        "List the tenant's secrets by name, without their values",
                        Access.TENANT,
                        List.of(),
                        null,
                        new Answer.Json(200, SecretList.class),
                        call -> call.json(
                                200,
                                new SecretList(call.execute(new Command.ListSecrets()).stream()
                                        .map(SecretRoutes::secret)
                                        .toList()))),
                new Route(
                        "PUT",
                        SECRETS + "/{name}",
                        "Keep a secret, or replace the one of that name; nobody can read it back",
                        Access.TENANT,
                        List.of(),
                        SecretRequest.class,
                        new Answer.Json(200, SecretResponse.class),
                        SecretRoutes::putSecret),
                new Route(
                        "DELETE",
                        SECRETS + "/{name}",
                        "Forget a secret",
                        Access.TENANT,
                        List.of(),
                        null,
                        new Answer.Nothing(),
                        call -> {
                            call.execute(new Command.RemoveSecret(new SecretName(call.path("name"))));
                            call.done();
                        }));
    }

    private static void putSecret(HttpCall call) {
        SecretRequest request = call.body(SecretRequest.class);
        Secret kept = call.execute(new Command.PutSecret(
                new SecretName(call.path("name")),
                request.hosts().stream().map(HostPattern::parse).toList(),
                new SecretValue(request.value())));
        call.json(200, secret(kept));
    }

    private static SecretResponse secret(Secret secret) {
        return new SecretResponse(
                secret.name().value(),
                secret.hosts().stream().map(HostPattern::toString).toList(),
                secret.updatedAt().toString());
    }
}
