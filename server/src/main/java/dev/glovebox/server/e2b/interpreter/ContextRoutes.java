package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.GuestUser;
import dev.glovebox.wire.e2b.CodeContextRequest;
import java.util.Objects;

/// `/contexts`: the contexts of a sandbox.
final class ContextRoutes {
    private ContextRoutes() {}

    static void list(InterpreterCall call) {
        call.json(200, call.contexts().all().stream().map(CodeContext::info).toList());
    }

    static void make(InterpreterCall call) {
        CodeContextRequest request = call.body(CodeContextRequest.class);
        CodeLanguage language =
                CodeLanguage.of(Objects.requireNonNullElse(request.language(), call.defaultLanguage()), call.tier());
        String cwd = request.cwd();
        GuestPath directory = GuestPath.HOME;
        if (cwd != null && !cwd.isEmpty()) {
            directory = GuestPath.resolve(GuestPath.HOME, cwd);
            requireDirectory(call, directory);
        }
        CodeContext context = call.contexts().make(language, directory);
        boolean isMade = false;
        try {
            open(call, context);
            isMade = true;
        } finally {
            if (!isMade) {
                call.contexts().remove(context.id());
            }
        }
        call.json(200, context.info());
    }

    /// A directory that is there, but not for the user that code runs as, is told to who executes something in it: so
    /// do
    /// E2B's own interpreters.
    private static void open(InterpreterCall call, CodeContext context) {
        try {
            context.open(call.gateway());
        } catch (GloveboxException e) {
            if (e.code() != ErrorCode.FORBIDDEN) {
                throw e;
            }
        }
    }

    /// Some tiers would only notice when code looks around.
    private static void requireDirectory(InterpreterCall call, GuestPath directory) {
        CodeContext.Gateway gateway = call.gateway();
        FileEntry.Type type = FileEntry.Type.OTHER;
        try {
            type = gateway.execute(new Command.StatFile(gateway.sandbox(), directory, FileAccess.as(GuestUser.ROOT)))
                    .type();
        } catch (GloveboxException e) {
            if (e.code() != ErrorCode.FILE_NOT_FOUND && e.code() != ErrorCode.WRONG_FILE_TYPE) {
                throw e;
            }
        }
        if (type != FileEntry.Type.DIRECTORY && type != FileEntry.Type.SYMLINK) {
            throw new Refusal(400, "cwd '" + directory + "' is no directory");
        }
    }

    static void restart(InterpreterCall call, String id) {
        call.contexts().find(id).restart(call.gateway());
        call.done();
    }

    static void remove(InterpreterCall call, String id) {
        call.contexts().remove(id).close(call.gateway());
        call.done();
    }
}
