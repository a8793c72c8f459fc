package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.SandboxId;
import dev.glovebox.server.api.Problems;
import dev.glovebox.server.e2b.traffic.SandboxPort;
import dev.glovebox.server.e2b.traffic.SandboxTarget;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Port 49999 of every sandbox: code, executed in contexts that keep their state. Thread-safe.
public final class InterpreterPort implements SandboxPort {
    private static final Pattern ONE = Pattern.compile("/contexts/([^/]+)");
    private static final Pattern RESTART = Pattern.compile("/contexts/([^/]+)/restart");
    private static final byte[] OK = "\"OK\"".getBytes(StandardCharsets.US_ASCII);

    private final InterpreterServices services;
    private final EventLines lines;
    private final Map<SandboxId, SandboxContexts> sandboxes = new ConcurrentHashMap<>();

    public InterpreterPort(InterpreterServices services) {
        this.services = services;
        this.lines = new EventLines(services.clock());
    }

    @Override
    public void serve(SandboxTarget target, ServerRequest request, ServerResponse response) {
        InterpreterCall call = new InterpreterCall(services, target, request, response, contexts(target));
        try {
            dispatch(call, request.prologue().method().text(), path(request));
        } catch (CloseConnectionException | RequestException e) {
            throw e;
        } catch (Refusal e) {
            call.text(e.status(), e.words());
        } catch (GloveboxException e) {
            refuse(call, e);
        }
    }

    /// What the gate refused. That the sandbox is gone is told as for every port.
    private static void refuse(InterpreterCall call, GloveboxException e) {
        switch (e.code()) {
            case SANDBOX_NOT_FOUND, BACKEND_LOST, INTERNAL -> throw e;
            case WRONG_FILE_TYPE, UNSUPPORTED, TIER_UNAVAILABLE -> answer(call, 400, e);
            case FILE_NOT_FOUND -> answer(call, 400, e);
            default -> answer(call, e.code().httpStatus(), e);
        }
    }

    private static void answer(InterpreterCall call, int status, GloveboxException e) {
        call.text(status, Problems.of(e).detail());
    }

    private SandboxContexts contexts(SandboxTarget target) {
        SandboxContexts known = sandboxes.get(target.id());
        if (known != null) {
            return known;
        }
        sandboxes.keySet().removeIf(id -> !services.isRunning().test(id));
        return sandboxes.computeIfAbsent(
                target.id(), _ -> new SandboxContexts(target.sandbox().tier()));
    }

    private static String path(ServerRequest request) {
        String path = request.path().path();
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private void dispatch(InterpreterCall call, String method, String path) {
        Matcher one = ONE.matcher(path);
        Matcher restart = RESTART.matcher(path);
        switch (method + " " + path) {
            case "GET /health" -> call.send(200, "application/json", OK);
            case "POST /execute" -> Executions.serve(call, lines);
            case "GET /contexts" -> ContextRoutes.list(call);
            case "POST /contexts" -> ContextRoutes.make(call);
            default -> {
                if (method.equals("DELETE") && one.matches()) {
                    ContextRoutes.remove(call, one.group(1));
                } else if (method.equals("POST") && restart.matches()) {
                    ContextRoutes.restart(call, restart.group(1));
                } else {
                    throw new Refusal(404, "there is nothing at this path that takes " + method);
                }
            }
        }
    }
}
