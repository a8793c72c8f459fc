package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Principal;
import dev.glovebox.server.e2b.control.Creation.Generation;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// The one table of the control plane's routes, and how each request is let in, served and, if it fails, answered.
public final class Control {
    private static final String ALL = "/sandboxes";
    private static final String ONE = ALL + "/{id}";
    private static final String ALL_SECOND = "/v2/sandboxes";
    private static final String ONE_SECOND = ALL_SECOND + "/{id}";

    private static final Pattern OURS = Pattern.compile("/(sandboxes|templates|v2|v3)(/.*)?", Pattern.DOTALL);

    private final ControlServices services;
    private final List<Call> calls;

    private record Call(String method, String path, Consumer<ControlCall> handler) {}

    public Control(ControlServices services) {
        this.services = services;
        List<Call> table = new ArrayList<>();
        // Fixed names before those that stand for any.
        table.addAll(observations());
        table.addAll(sandboxes());
        table.addAll(states());
        table.addAll(templates());
        this.calls = List.copyOf(table);
    }

    private static List<Call> observations() {
        return List.of(
                new Call("GET", ALL + "/metrics", ObservationCalls::metricsOfMany),
                new Call("GET", ONE + "/metrics", ObservationCalls::metrics),
                new Call("GET", ONE + "/logs", ObservationCalls::logs),
                new Call("GET", ONE_SECOND + "/logs", ObservationCalls::logsSecond));
    }

    private static List<Call> states() {
        return List.of(
                new Call("PUT", ONE + "/network", SandboxCalls::network),
                new Call("POST", ONE + "/pause", NotThere::pause),
                new Call("POST", ONE + "/resume", NotThere::resume),
                new Call("POST", ONE + "/fork", NotThere::fork),
                new Call("POST", ONE + "/snapshots", NotThere::snapshot));
    }

    private static List<Call> templates() {
        return List.of(
                new Call("GET", "/templates", TemplateCalls::list),
                new Call("GET", "/v2/templates", TemplateCalls::list),
                new Call("GET", "/templates/aliases/{name}", TemplateCalls::alias),
                new Call("GET", "/templates/{name}", TemplateCalls::get),
                new Call("DELETE", "/templates/{name}", TemplateCalls::delete));
    }

    private static List<Call> sandboxes() {
        return List.of(
                new Call("POST", ALL, call -> SandboxCalls.create(call, Generation.FIRST)),
                new Call("POST", ALL_SECOND, call -> SandboxCalls.create(call, Generation.SECOND)),
                new Call("GET", ALL, SandboxCalls::listFirst),
                new Call("GET", ALL_SECOND, SandboxCalls::list),
                new Call("GET", ONE, SandboxCalls::get),
                new Call("DELETE", ONE, SandboxCalls::kill),
                new Call("POST", ONE + "/timeout", SandboxCalls::timeout),
                new Call("POST", ONE + "/refreshes", SandboxCalls::refresh),
                new Call("POST", ONE + "/connect", call -> SandboxCalls.connect(call, Generation.FIRST)),
                new Call("POST", ONE_SECOND + "/connect", call -> SandboxCalls.connect(call, Generation.SECOND)));
    }

    /// Adds the routes to a listener's. Each answers with and without a slash at its end.
    public void addTo(HttpRouting.Builder routing) {
        routing.get(
                "/health",
                (_, response) -> response.status(Status.NO_CONTENT_204).send());
        for (NotThere.Way way : NotThere.WAYS) {
            add(routing, new Call(way.method(), way.path(), _ -> {
                throw ControlError.unsupported(way.words());
            }));
        }
        Map<String, SortedSet<String>> methods = new LinkedHashMap<>();
        for (Call call : calls) {
            methods.computeIfAbsent(call.path(), _ -> new TreeSet<>()).add(call.method());
            add(routing, call);
        }
        methods.forEach((path, allowed) -> routing.any(path, (_, response) -> {
            response.header(HeaderNames.ALLOW, String.join(", ", allowed));
            ControlErrors.answer(
                    response, new ControlError(405, "this path takes " + String.join(", ", allowed) + " only"));
        }));
        routing.any(Control::refuseOurs);
    }

    private void add(HttpRouting.Builder routing, Call call) {
        List<String> paths = call.path().endsWith("*") ? List.of(call.path()) : List.of(call.path(), call.path() + "/");
        for (String path : paths) {
            if (call.method().equals("*")) {
                routing.any(path, (request, response) -> serve(call, request, response));
            } else {
                routing.route(
                        Method.create(call.method()), path, (request, response) -> serve(call, request, response));
            }
        }
    }

    /// What begins as our paths do and is none of them is answered as E2B's clients expect it.
    private static void refuseOurs(ServerRequest request, ServerResponse response) {
        if (OURS.matcher(request.prologue().uriPath().rawPath()).matches()) {
            ControlErrors.answer(response, new ControlError(404, "there is nothing at this path"));
        } else {
            response.next();
        }
    }

    private void serve(Call call, ServerRequest request, ServerResponse response) {
        try {
            call.handler().accept(new ControlCall(services, request, response, admit(request)));
        } catch (CloseConnectionException | RequestException e) {
            throw e;
        } catch (RuntimeException e) {
            if (response.isSent()) {
                throw new CloseConnectionException("the answer had begun", e);
            }
            ControlErrors.answer(response, ControlErrors.of(e, ControlCall.sandboxName(request)));
        }
    }

    private Principal admit(ServerRequest request) {
        Principal principal = services.authenticator()
                .principal(
                        request.headers().first(HeaderNames.AUTHORIZATION).orElse(null),
                        request.headers().first(HeaderNames.create("X-API-KEY")).orElse(null))
                .orElseThrow(() -> new ControlError(
                        401, "a valid API key is needed, as 'X-API-KEY: e2b_…' or 'Authorization: Bearer e2b_…'"));
        if (!services.takesWork().getAsBoolean()) {
            throw new ControlError(503, "the server is stopping; ask again when it is back", 1);
        }
        return principal;
    }
}
