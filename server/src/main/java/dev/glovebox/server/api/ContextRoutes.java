package dev.glovebox.server.api;

import dev.glovebox.core.Command;
import dev.glovebox.core.ContextId;
import dev.glovebox.core.Language;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.ContextList;
import dev.glovebox.wire.api.ContextRequest;
import dev.glovebox.wire.api.ContextResponse;
import dev.glovebox.wire.api.ExecuteRequest;
import dev.glovebox.wire.api.ExecutionResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Code interpreter contexts in a sandbox.
final class ContextRoutes {
    private static final String ALL = SandboxRoutes.ONE + "/contexts";
    private static final String ONE = ALL + "/{cid}";

    private ContextRoutes() {}

    static List<Route> all() {
        return List.of(
                route(
                        "POST",
                        ALL,
                        "Open a context",
                        ContextRequest.class,
                        new Answer.Json(201, ContextResponse.class),
                        ContextRoutes::open),
                route(
                        "GET",
                        ALL,
                        "List the open contexts",
                        null,
                        new Answer.Json(200, ContextList.class),
                        ContextRoutes::list),
                route(
                        "POST",
                        ONE + "/execute",
                        "Execute code in a context that keeps its state",
                        ExecuteRequest.class,
                        new Answer.Streamable(ExecutionResponse.class),
                        ContextRoutes::execute),
                route(
                        "POST",
                        ONE + "/interrupt",
                        "Interrupt what a context executes",
                        null,
                        new Answer.Nothing(),
                        call -> {
                            call.execute(new Command.InterruptContext(call.sandbox(), context(call)));
                            call.done();
                        }),
                route(
                        "POST",
                        ONE + "/restart",
                        "Give a context a fresh interpreter",
                        null,
                        new Answer.Nothing(),
                        call -> {
                            call.execute(new Command.RestartContext(call.sandbox(), context(call)));
                            call.done();
                        }),
                route("DELETE", ONE, "Close a context", null, new Answer.Nothing(), call -> {
                    call.execute(new Command.CloseContext(call.sandbox(), context(call)));
                    call.done();
                }));
    }

    private static Route route(
            String method,
            String path,
            String summary,
            @Nullable Class<? extends Record> request,
            Answer answer,
            Route.Handler handler) {
        return new Route(method, path, summary, Access.TENANT, List.of(), request, answer, handler);
    }

    private static ContextId context(HttpCall call) {
        return new ContextId(call.path("cid"));
    }

    private static void open(HttpCall call) {
        ContextRequest request = call.body(ContextRequest.class);
        Language language = request.language() == null ? Language.PYTHON : ToCore.language(request.language());
        Command.CodeContext opened =
                call.execute(new Command.OpenContext(call.sandbox(), language, ToCore.directory(request.directory())));
        call.json(201, ToWire.context(opened));
    }

    private static void list(HttpCall call) {
        List<Command.CodeContext> contexts = call.execute(new Command.ListContexts(call.sandbox()));
        call.json(200, new ContextList(contexts.stream().map(ToWire::context).toList()));
    }

    private static void execute(HttpCall call) {
        ExecuteRequest request = call.body(ExecuteRequest.class);
        ResourceLimits limits = ToCore.limits(request.limits());
        Command.Execute command = new Command.Execute(
                call.sandbox(), context(call), request.code(), ToCore.orEmpty(request.env()), limits);
        call.execute(command, limits, ToWire::execution);
    }
}
