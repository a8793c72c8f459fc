package dev.glovebox.server.e2b.envd;

import dev.glovebox.server.e2b.traffic.SandboxPort;
import dev.glovebox.server.e2b.traffic.SandboxTarget;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Port 49983 of every sandbox: what E2B's clients do with its processes and files. Thread-safe.
public final class EnvdPort implements SandboxPort {
    private static final String POST = "POST";
    private static final String PROCESS = "/process.Process/";
    private static final String FILESYSTEM = "/filesystem.Filesystem/";
    /// What only E2B's own control plane calls, and never through its proxy.
    private static final Set<String> INTERNAL =
            Set.of("/init", "/freeze", "/unfreeze", "/collapse", "/fsfreeze", "/fsthaw", "/upgrade");

    private final EnvdServices services;
    private final Map<String, Consumer<EnvdCall>> calls;
    private final Map<String, Consumer<EnvdCall>> routes;

    public EnvdPort(EnvdServices services) {
        this.services = services;
        ProcessService processes = new ProcessService();
        FilesystemService files = new FilesystemService();
        this.calls = Map.ofEntries(
                Map.entry(PROCESS + "Start", processes::start),
                Map.entry(PROCESS + "Connect", processes::connect),
                Map.entry(PROCESS + "List", processes::list),
                Map.entry(PROCESS + "SendInput", processes::sendInput),
                Map.entry(PROCESS + "StreamInput", processes::streamInput),
                Map.entry(PROCESS + "CloseStdin", processes::closeStdin),
                Map.entry(PROCESS + "SendSignal", processes::sendSignal),
                Map.entry(PROCESS + "Update", processes::update),
                Map.entry(FILESYSTEM + "Stat", files::stat),
                Map.entry(FILESYSTEM + "ListDir", files::list),
                Map.entry(FILESYSTEM + "MakeDir", files::makeDirectory),
                Map.entry(FILESYSTEM + "Move", files::move),
                Map.entry(FILESYSTEM + "Remove", files::remove),
                Map.entry(FILESYSTEM + "WatchDir", files::watch),
                Map.entry(FILESYSTEM + "CreateWatcher", files::createWatcher),
                Map.entry(FILESYSTEM + "GetWatcherEvents", files::watcherEvents),
                Map.entry(FILESYSTEM + "RemoveWatcher", files::removeWatcher));
        this.routes = Map.of(
                "GET /health", EnvdPort::health,
                "GET /files", FilesRoutes::download,
                "POST /files", FilesRoutes::upload,
                "POST /files/compose", FilesRoutes::compose,
                "GET /metrics", SandboxReports::metrics,
                "GET /envs", SandboxReports::environment);
    }

    @Override
    public void serve(SandboxTarget target, ServerRequest request, ServerResponse response) {
        EnvdCall call = new EnvdCall(services, target, request, response);
        Cors.allow(response);
        try {
            handler(call, request.prologue().method().text(), path(request)).accept(call);
        } catch (HttpRefusal e) {
            call.error(e.status(), e.words());
        }
    }

    private static String path(ServerRequest request) {
        String path = request.path().path();
        return path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private Consumer<EnvdCall> handler(EnvdCall call, String method, String path) {
        if (method.equals("OPTIONS")) {
            return Cors::answer;
        }
        Consumer<EnvdCall> rpc = calls.get(path);
        if (rpc != null) {
            if (!method.equals(POST)) {
                call.response().header(HeaderNames.ALLOW, POST);
                throw new HttpRefusal(405, "this call takes POST only");
            }
            return rpc;
        }
        Consumer<EnvdCall> route = routes.get(method + " " + path);
        if (route != null) {
            return route;
        }
        if (INTERNAL.contains(path)) {
            throw new HttpRefusal(
                    404, "This endpoint is reserved for the E2B control plane, and is not there for anybody else");
        }
        boolean isOtherMethod = routes.keySet().stream().anyMatch(known -> known.endsWith(" " + path));
        throw isOtherMethod
                ? new HttpRefusal(405, "this path does not take " + method)
                : new HttpRefusal(404, "there is nothing at this path");
    }

    private static void health(EnvdCall call) {
        call.response().header(HeaderNames.CACHE_CONTROL, "no-store");
        call.response().status(Status.NO_CONTENT_204).send();
    }
}
