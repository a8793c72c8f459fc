package dev.glovebox.server.api;

import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.Health;
import dev.glovebox.wire.api.TierList;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What concerns the server itself.
final class SystemRoutes {
    private SystemRoutes() {}

    static List<Route> all(ApiServices services) {
        return List.of(
                new Route(
                        "GET",
                        "/healthz",
                        "Whether the process is alive",
                        Access.PUBLIC,
                        List.of(),
                        null,
                        new Answer.Json(200, Health.class),
                        call -> call.json(200, new Health("ok"))),
                new Route(
                        "GET",
                        "/readyz",
                        "Whether the server takes work; 503 if not",
                        Access.PUBLIC,
                        List.of(),
                        null,
                        new Answer.Json(200, Health.class),
                        call -> {
                            boolean isReady = services.takesWork().getAsBoolean();
                            call.json(isReady ? 200 : 503, new Health(isReady ? "ok" : "stopping"));
                        }),
                new Route(
                        "GET",
                        "/metrics",
                        "Metrics in Prometheus' text format",
                        services.metricsOpen() ? Access.PUBLIC : Access.ADMIN,
                        List.of(),
                        null,
                        new Answer.Text("text/plain"),
                        call -> call.send(
                                200,
                                "text/plain; version=0.0.4; charset=utf-8",
                                services.metrics().get().getBytes(StandardCharsets.UTF_8))),
                new Route(
                        "GET",
                        "/v1/tiers",
                        "Which tiers work on this machine, and why others do not",
                        Access.TENANT,
                        List.of(),
                        null,
                        new Answer.Json(200, TierList.class),
                        call -> call.json(
                                200,
                                new TierList(services.tiers().get().stream()
                                        .map(ToWire::tier)
                                        .toList()))));
    }
}
