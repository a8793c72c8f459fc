package dev.glovebox.server.e2b.control;

import dev.glovebox.core.Command;
import java.util.List;

/// What E2B has and this server has not (yet), each with the words to refuse it by.
final class NotThere {
    private static final String PAUSE = "this server cannot pause sandboxes yet";
    private static final String SNAPSHOTS = "this server has no snapshots yet";
    private static final String BUILDS =
            "templates are built by 'glovebox template build' on the server, not by this interface";
    private static final String VOLUMES = "this server has no volumes";
    private static final String SECRETS = "this server keeps no secrets yet";

    /// One way to ask.
    ///
    /// @param method of HTTP; `*` for any
    record Way(String method, String path, String words) {}

    static final List<Way> WAYS = List.of(
            new Way("GET", "/snapshots", SNAPSHOTS),
            new Way("POST", "/templates", BUILDS),
            new Way("POST", "/v2/templates", BUILDS),
            new Way("POST", "/v3/templates", BUILDS),
            new Way("POST", "/templates/tags", BUILDS),
            new Way("DELETE", "/templates/tags", BUILDS),
            new Way("POST", "/templates/{name}", BUILDS),
            new Way("PATCH", "/templates/{name}", BUILDS),
            new Way("PATCH", "/v2/templates/{name}", BUILDS),
            new Way("GET", "/templates/{name}/tags", BUILDS),
            new Way("GET", "/templates/{name}/files/{hash}", BUILDS),
            new Way("POST", "/templates/{name}/builds/{build}", BUILDS),
            new Way("POST", "/v2/templates/{name}/builds/{build}", BUILDS),
            new Way("GET", "/templates/{name}/builds/{build}/status", BUILDS),
            new Way("GET", "/templates/{name}/builds/{build}/logs", BUILDS),
            new Way("*", "/volumes", VOLUMES),
            new Way("*", "/volumes/*", VOLUMES),
            new Way("*", "/volumecontent/*", VOLUMES),
            new Way("*", "/secrets", SECRETS),
            new Way("*", "/secrets/*", SECRETS),
            new Way("GET", "/teams", "this server has no teams: a key belongs to a tenant"));

    private NotThere() {}

    /// Whoever names a sandbox that is not there hears that first.
    private static void checkSandbox(ControlCall call) {
        call.execute(new Command.GetSandbox(call.sandbox()));
    }

    static void pause(ControlCall call) {
        checkSandbox(call);
        throw ControlError.unsupported(PAUSE);
    }

    /// None is ever paused.
    static void resume(ControlCall call) {
        checkSandbox(call);
        throw new ControlError(409, "Sandbox \"" + call.sandbox() + "\" is running already");
    }

    static void fork(ControlCall call) {
        checkSandbox(call);
        throw ControlError.unsupported("this server cannot fork sandboxes yet");
    }

    static void snapshot(ControlCall call) {
        checkSandbox(call);
        throw ControlError.unsupported(SNAPSHOTS);
    }
}
