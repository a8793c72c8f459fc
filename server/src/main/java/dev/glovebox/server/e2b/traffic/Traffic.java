package dev.glovebox.server.e2b.traffic;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.server.api.Problems;
import dev.glovebox.server.e2b.E2bSandbox;
import dev.glovebox.server.e2b.E2bSandboxes;
import dev.glovebox.server.e2b.SandboxTokens;
import dev.glovebox.wire.e2b.TrafficError;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Stands before the server's own routes and takes out the requests that are for ports of sandboxes. Thread-safe.
public final class Traffic implements Filter {
    static final HeaderName SANDBOX_ID = HeaderNames.create("E2b-Sandbox-Id");
    static final HeaderName SANDBOX_PORT = HeaderNames.create("E2b-Sandbox-Port");
    static final HeaderName TRAFFIC_TOKEN = HeaderNames.create("E2b-Traffic-Access-Token");
    static final HeaderName ACCESS_TOKEN = HeaderNames.create("X-Access-Token");

    private final TrafficHosts hosts;
    private final E2bSandboxes sandboxes;
    private final SandboxTokens tokens;
    private final Map<Integer, SandboxPort> own;
    private final SandboxPort others;

    /// Traffic of sandboxes.
    ///
    /// @param own ports that this server serves itself
    /// @param others serves all other ports
    public Traffic(
            TrafficHosts hosts,
            E2bSandboxes sandboxes,
            SandboxTokens tokens,
            Map<Integer, SandboxPort> own,
            SandboxPort others) {
        this.hosts = hosts;
        this.sandboxes = sandboxes;
        this.tokens = tokens;
        this.own = Map.copyOf(own);
        this.others = others;
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        Destination destination = Destination.of(
                hosts,
                request.headers().first(HeaderNames.HOST).orElse(""),
                request.headers().all(SANDBOX_ID, List::of),
                request.headers().all(SANDBOX_PORT, List::of));
        switch (destination) {
            case Destination.Server _ -> chain.proceed();
            case Destination.Refused refused ->
                TrafficErrors.answer(
                        request,
                        response,
                        new TrafficError(
                                refused.sandbox().isEmpty() ? null : refused.sandbox(),
                                refused.message(),
                                null,
                                refused.status()));
            case Destination.Port port -> {
                serve(port, request, response);
                // An answer that was written to its stream is complete, which Helidon cannot know of a filter.
                response.commit();
            }
        }
    }

    private void serve(Destination.Port port, ServerRequest request, ServerResponse response) {
        Optional<E2bSandbox> sandbox = sandboxes.find(port.sandbox());
        if (sandbox.isEmpty()) {
            TrafficErrors.notFound(request, response, port.sandbox().value());
            return;
        }
        SandboxTarget target = new SandboxTarget(sandbox.get(), port.port());
        Optional<String> refusal = refusal(target, request);
        if (refusal.isPresent()) {
            TrafficErrors.answer(request, response, new TrafficError(target.id().value(), refusal.get(), null, 403));
            return;
        }
        try {
            own.getOrDefault(port.port(), others).serve(target, request, response);
        } catch (CloseConnectionException | RequestException e) {
            throw e;
        } catch (RuntimeException e) {
            fail(target, request, response, e);
        }
    }

    private static void fail(SandboxTarget target, ServerRequest request, ServerResponse response, RuntimeException e) {
        if (response.isSent()) {
            throw new CloseConnectionException("the answer had begun", e);
        }
        if (e instanceof GloveboxException refusal) {
            TrafficErrors.failed(request, response, target, refusal);
        } else {
            String said = Problems.of(e).detail();
            TrafficErrors.answer(request, response, new TrafficError(target.id().value(), said, target.port(), 500));
        }
    }

    /// Why the caller may not come to this port; empty if he may. Envd asks for its own token, because not
    /// all that it does needs one. At the interpreter E2B lets everybody in who knows the id, and so whoever
    /// has seen the name of any port; here one of the sandbox's tokens is needed, which its clients send, for
    /// everything but to ask whether it is there.
    private Optional<String> refusal(SandboxTarget target, ServerRequest request) {
        E2bSandbox sandbox = target.sandbox();
        boolean isOpen = switch (target.port()) {
            case SandboxPort.ENVD -> true;
            case SandboxPort.INTERPRETER ->
                !sandbox.facts().secured()
                        || request.path().path().equals("/health")
                        || tokens.isAccess(
                                target.id(),
                                request.headers().first(ACCESS_TOKEN).orElse(null));
            default -> sandbox.facts().publicTraffic();
        };
        Optional<String> given = request.headers().first(TRAFFIC_TOKEN);
        if (isOpen || tokens.isTraffic(target.id(), given.orElse(null))) {
            return Optional.empty();
        }
        return Optional.of("Sandbox is secured with traffic access token. Token header 'e2b-traffic-access-token' is "
                + (given.isPresent() ? "invalid" : "missing"));
    }
}
