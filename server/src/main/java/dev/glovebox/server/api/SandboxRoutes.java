package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Page;
import dev.glovebox.core.Sandbox;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.LeaseRequest;
import dev.glovebox.wire.api.SandboxPage;
import dev.glovebox.wire.api.SandboxRequest;
import dev.glovebox.wire.api.SandboxResponse;
import dev.glovebox.wire.api.SandboxUsageResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Sandboxes: make, list, look at, extend, kill.
final class SandboxRoutes {
    private static final String ALL = "/v1/sandboxes";
    static final String ONE = ALL + "/{id}";

    private SandboxRoutes() {}

    static List<Route> all() {
        return List.of(
                new Route(
                        "POST",
                        ALL,
                        "Make a sandbox",
                        Access.TENANT,
                        List.of(),
                        SandboxRequest.class,
                        new Answer.Json(201, SandboxResponse.class),
                        SandboxRoutes::create),
                new Route(
                        "GET",
                        ALL,
                        "List the sandboxes that are alive, newest first",
                        Access.TENANT,
                        List.of(
                                Route.optional("limit", "how many on one page"),
                                Route.optional("cursor", "the `next` of the page before"),
                                new Route.QueryParameter(
                                        "metadata", "name=value; all that are given must match", false, true)),
                        null,
                        new Answer.Json(200, SandboxPage.class),
                        SandboxRoutes::list),
                new Route(
                        "GET",
                        ONE,
                        "Look at a sandbox",
                        Access.TENANT,
                        List.of(),
                        null,
                        new Answer.Json(200, SandboxResponse.class),
                        call -> call.json(200, ToWire.sandbox(call.execute(new Command.GetSandbox(call.sandbox()))))),
                new Route(
                        "DELETE", ONE, "Kill a sandbox", Access.TENANT, List.of(), null, new Answer.Nothing(), call -> {
                            call.execute(new Command.KillSandbox(call.sandbox()));
                            call.done();
                        }),
                new Route(
                        "GET",
                        ONE + "/usage",
                        "What a sandbox uses now",
                        Access.TENANT,
                        List.of(),
                        null,
                        new Answer.Json(200, SandboxUsageResponse.class),
                        call -> call.json(200, ToWire.usage(call.execute(new Command.MeasureSandbox(call.sandbox()))))),
                new Route(
                        "POST",
                        ONE + "/lease",
                        "Let a sandbox's lease end a time from now",
                        Access.TENANT,
                        List.of(),
                        LeaseRequest.class,
                        new Answer.Json(200, SandboxResponse.class),
                        SandboxRoutes::extend));
    }

    private static void create(HttpCall call) {
        SandboxRequest request = call.body(SandboxRequest.class);
        Sandbox made = call.execute(new Command.CreateSandbox(ToCore.sandbox(request)));
        call.json(201, ToWire.sandbox(made));
    }

    private static void list(HttpCall call) {
        long size = call.query("limit")
                .map(text -> ToCore.number("the query parameter 'limit'", text, Limits.PAGE_SIZE_MAX))
                .orElse((long) Limits.PAGE_SIZE_DEFAULT);
        Page<Sandbox> page = call.execute(
                new Command.ListSandboxes(metadata(call.queries("metadata")), (int) size, call.query("cursor")));
        call.json(
                200,
                new SandboxPage(
                        page.items().stream().map(ToWire::sandbox).toList(),
                        page.next().orElse(null)));
    }

    private static void extend(HttpCall call) {
        LeaseRequest request = call.body(LeaseRequest.class);
        Sandbox extended =
                call.execute(new Command.ExtendLease(call.sandbox(), ToCore.seconds(request.leaseSeconds())));
        call.json(200, ToWire.sandbox(extended));
    }

    private static Map<String, String> metadata(List<String> pairs) {
        Map<String, String> metadata = new LinkedHashMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw ToCore.invalid("the query parameter 'metadata' is name=value");
            }
            metadata.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return metadata;
    }
}
