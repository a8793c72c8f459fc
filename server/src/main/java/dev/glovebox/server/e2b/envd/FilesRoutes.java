package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestUser;
import dev.glovebox.server.api.Problems;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import java.util.function.Consumer;

/// `/files`: contents of files, either way. The caller proves himself by the sandbox's token or by a signature.
final class FilesRoutes {
    private FilesRoutes() {}

    static void download(EnvdCall call) {
        answered(call, FileDownload::serve);
    }

    static void upload(EnvdCall call) {
        answered(call, FileUpload::serve);
    }

    static void compose(EnvdCall call) {
        answered(call, FileComposition::serve);
    }

    /// As whom the request's address says it is.
    static GuestUser user(EnvdCall call) {
        return call.query("username")
                .filter(name -> !name.isEmpty())
                .map(call::userNamed)
                .orElse(GuestUser.USER);
    }

    /// Serves, and tells what goes wrong in the form of envd's plain HTTP.
    private static void answered(EnvdCall call, Consumer<EnvdCall> handler) {
        try {
            handler.accept(call);
        } catch (CloseConnectionException | RequestException | HttpRefusal e) {
            throw e;
        } catch (RuntimeException e) {
            if (call.response().isSent() || ConnectFailure.isGone(e)) {
                throw e;
            }
            call.error(status(e), words(e));
        }
    }

    private static int status(RuntimeException e) {
        return switch (e) {
            case ConnectFailure failure -> failure.code().httpStatus();
            case GloveboxException refusal ->
                switch (refusal.code()) {
                    case WRONG_FILE_TYPE -> 400;
                    default -> refusal.code().httpStatus();
                };
            default -> 500;
        };
    }

    private static String words(RuntimeException e) {
        return e instanceof ConnectFailure failure
                ? String.valueOf(failure.getMessage())
                : Problems.of(e).detail();
    }
}
