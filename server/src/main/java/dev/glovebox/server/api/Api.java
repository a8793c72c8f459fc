package dev.glovebox.server.api;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Principal;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.auth.Authenticator;
import dev.glovebox.wire.api.Problem;
import io.helidon.common.buffers.DataReader;
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

/// The native API: the one table of its routes, and how each request is let in, served and, if it fails,
/// answered.
public final class Api {
    private static final Principal NOBODY =
            new Principal(dev.glovebox.core.TenantId.DEFAULT, "none", Principal.Role.TENANT);

    /// Soon: a place is free as soon as somebody else's run has ended.
    private static final String RETRY_AFTER_SECONDS = "1";

    private final ApiServices services;
    private final List<Route> routes;

    public Api(ApiServices services) {
        this.services = services;
        List<Route> table = new ArrayList<>();
        table.addAll(RunRoutes.all());
        table.addAll(SandboxRoutes.all());
        table.addAll(CommandRoutes.all());
        table.addAll(FileRoutes.all());
        table.addAll(ContextRoutes.all());
        table.addAll(PortRoutes.all());
        table.addAll(NetworkRoutes.all());
        table.addAll(SecretRoutes.all());
        table.addAll(TunnelRoutes.all());
        table.addAll(KeyRoutes.all());
        table.addAll(SystemRoutes.all(services));
        byte[] description = RecordJson.write(OpenApi.describe(table));
        table.add(OpenApi.route(description));
        this.routes = List.copyOf(table);
    }

    List<Route> routes() {
        return routes;
    }

    /// What the routes need to know of the listener that they serve.
    ///
    /// @param authenticator to whom its clients prove who they are
    /// @param sockets those that it accepts
    public record Listener(Authenticator authenticator, AcceptedSockets sockets) {}

    /// Adds the routes to those of one listener; nothing can follow, because they answer for every other path too.
    public void addTo(HttpRouting.Builder routing, Listener listener) {
        Map<String, SortedSet<String>> methods = new LinkedHashMap<>();
        for (Route route : routes) {
            methods.computeIfAbsent(route.path(), _ -> new TreeSet<>()).add(route.method());
            routing.route(
                    Method.create(route.method()),
                    route.path(),
                    (request, response) -> serve(route, listener, request, response));
        }
        methods.forEach((path, allowed) -> routing.any(path, (_, response) -> refuseMethod(allowed, response)));
        routing.any((_, response) -> answer(
                response,
                Problems.of(ErrorCode.ROUTE_NOT_FOUND, "there is nothing at this path; /openapi.json lists what is")));
    }

    private void serve(Route route, Listener listener, ServerRequest request, ServerResponse response) {
        try {
            Principal principal = admit(route, listener.authenticator(), request);
            refusePacked(request);
            route.handler().handle(new HttpCall(request, response, services.gate(), principal, listener.sockets()));
        } catch (CloseConnectionException | RequestException e) {
            throw e;
        } catch (DataReader.InsufficientDataAvailableException e) {
            throw new CloseConnectionException("the client went away before the end of its request", e);
        } catch (RuntimeException e) {
            fail(response, e);
        }
    }

    private Principal admit(Route route, Authenticator authenticator, ServerRequest request) {
        if (route.access() == Route.Access.PUBLIC) {
            return NOBODY;
        }
        Principal principal = authenticator
                .principal(
                        request.headers().first(HeaderNames.AUTHORIZATION).orElse(null),
                        request.headers().first(HeaderNames.create("X-API-KEY")).orElse(null))
                .orElseThrow(() -> new GloveboxException(
                        ErrorCode.UNAUTHENTICATED,
                        "a valid API key is needed, as 'Authorization: Bearer e2b_…' or 'X-API-KEY: e2b_…'"));
        if (route.access() == Route.Access.ADMIN && !principal.isAdmin()) {
            throw HttpCall.forbidden();
        }
        if (!services.takesWork().getAsBoolean()) {
            throw new GloveboxException(ErrorCode.OVERLOADED, "the server is stopping; ask again when it is back");
        }
        return principal;
    }

    private static void refusePacked(ServerRequest request) {
        if (request.headers()
                .first(HeaderNames.CONTENT_ENCODING)
                .filter(coding -> !coding.equals("identity"))
                .isPresent()) {
            throw new GloveboxException(
                    ErrorCode.INVALID_ARGUMENT, "bodies are taken as they are: leave 'Content-Encoding' out");
        }
    }

    private static void refuseMethod(SortedSet<String> allowed, ServerResponse response) {
        response.header(HeaderNames.ALLOW, String.join(", ", allowed));
        answer(
                response,
                Problems.of(ErrorCode.METHOD_NOT_ALLOWED, "this path takes " + String.join(", ", allowed) + " only"));
    }

    private static void fail(ServerResponse response, RuntimeException e) {
        Problem problem = Problems.of(e);
        if (response.isSent()) {
            throw new CloseConnectionException("the answer had begun", e);
        }
        if (problem.status() == ErrorCode.UNAUTHENTICATED.httpStatus()) {
            response.header(HeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        if (problem.status() == ErrorCode.OVERLOADED.httpStatus()
                || problem.status() == ErrorCode.QUOTA_EXCEEDED.httpStatus()) {
            response.header(HeaderNames.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        answer(response, problem);
    }

    static void answer(ServerResponse response, Problem problem) {
        response.status(Status.create(problem.status()));
        response.header(HeaderNames.CONTENT_TYPE, Problems.MEDIA_TYPE);
        response.header(HeaderNames.CACHE_CONTROL, "no-store");
        response.send(RecordJson.write(problem));
    }
}
