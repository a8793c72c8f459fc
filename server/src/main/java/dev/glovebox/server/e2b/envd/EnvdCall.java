package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.core.SandboxId;
import dev.glovebox.engine.Gate;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.server.e2b.HeldBodies;
import dev.glovebox.server.e2b.traffic.SandboxTarget;
import dev.glovebox.wire.e2b.ErrorAnswer;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// One request to a sandbox's envd: which sandbox, who asks as which user, and how it is answered. Belongs to the
/// thread that serves it.
final class EnvdCall {
    static final HeaderName ACCESS_TOKEN = HeaderNames.create("X-Access-Token");
    private static final String BASIC = "Basic ";

    private final EnvdServices services;
    private final SandboxTarget target;
    private final ServerRequest request;
    private final ServerResponse response;

    EnvdCall(EnvdServices services, SandboxTarget target, ServerRequest request, ServerResponse response) {
        this.services = services;
        this.target = target;
        this.request = request;
        this.response = response;
    }

    SandboxTarget target() {
        return target;
    }

    ServerRequest request() {
        return request;
    }

    ServerResponse response() {
        return response;
    }

    Gate gate() {
        return services.gate();
    }

    HeldBodies bodies() {
        return services.bodies();
    }

    Predicate<SandboxId> isRunning() {
        return services.isRunning();
    }

    Clock clock() {
        return services.clock();
    }

    /// The token that this sandbox's callers must know.
    String token() {
        return services.tokens().access(target.id());
    }

    <R> R execute(Command<R> command) {
        return services.gate().execute(target.principal(), command);
    }

    Optional<String> header(HeaderName name) {
        return request.headers().first(name);
    }

    Optional<String> query(String name) {
        return request.query().all(name, List::of).stream().findFirst();
    }

    /// Refuses a caller who does not know the sandbox's token.
    void requireToken() {
        if (target.sandbox().facts().secured()
                && !services.tokens().isAccess(target.id(), header(ACCESS_TOKEN).orElse(null))) {
            throw HttpRefusal.unauthorized(
                    "unauthorized access, please provide a valid access token or method signing" + " if supported");
        }
    }

    /// As whom the caller wants to act: the name in `Authorization: Basic`, whose password nobody looks at, or the
    /// default user.
    GuestUser user() {
        return header(HeaderNames.AUTHORIZATION)
                .filter(value -> value.startsWith(BASIC))
                .map(value -> basicName(value.substring(BASIC.length())))
                .filter(name -> !name.isEmpty())
                .map(this::userNamed)
                .orElse(GuestUser.USER);
    }

    private static String basicName(String encoded) {
        try {
            String text = new String(Base64.getDecoder().decode(encoded.strip()), StandardCharsets.UTF_8);
            int colon = text.indexOf(':');
            return colon < 0 ? text : text.substring(0, colon);
        } catch (IllegalArgumentException e) {
            throw new ConnectFailure(
                    ConnectCode.UNAUTHENTICATED,
                    "the header Authorization is not Basic as it should" + " be: base64 of 'user:'");
        }
    }

    /// A user of the sandbox by its name.
    GuestUser userNamed(String name) {
        try {
            GuestUser user = new GuestUser(name);
            homeOf(user);
            return user;
        } catch (GloveboxException e) {
            throw GuestUsers.unknown(name);
        }
    }

    GuestPath homeOf(GuestUser user) {
        return GuestUsers.home(this, user);
    }

    /// A path as a client writes it: absolute, below a home directory, or with a `~` for it.
    GuestPath path(String path, GuestUser user) {
        if (path.equals("~") || path.startsWith("~/")) {
            return GuestPath.resolve(homeOf(user), path.substring(Math.min(2, path.length())));
        }
        if (path.startsWith("~")) {
            throw ConnectFailure.invalid("a path may begin with '~' and '~/': homes of others are given by their path");
        }
        return GuestPath.resolve(homeOf(user), path);
    }

    /// With whose rights files are worked on: root's, as E2B's clients expect; what is made belongs to the user.
    static FileAccess access(GuestUser user) {
        return FileAccess.rootFor(user);
    }

    /// Answers with JSON.
    void json(int status, byte[] json) {
        response.status(Status.create(status));
        response.header(HeaderNames.CONTENT_TYPE, "application/json");
        response.header(HeaderNames.CACHE_CONTROL, "no-store");
        response.send(json);
    }

    /// Answers with an error of plain HTTP.
    void error(int status, String words) {
        if (status == 429 || status == 503) {
            response.header(HeaderNames.RETRY_AFTER, "1");
        }
        json(status, RecordJson.write(new ErrorAnswer(status, words)));
    }
}
