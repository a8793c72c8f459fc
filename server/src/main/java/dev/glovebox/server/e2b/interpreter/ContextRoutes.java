package dev.glovebox.server.e2b.interpreter;

import dev.glovebox.core.GuestPath;
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
        GuestPath directory = cwd == null || cwd.isEmpty() ? GuestPath.HOME : GuestPath.resolve(GuestPath.HOME, cwd);
        CodeContext context = call.contexts().make(language, directory);
        boolean isOpen = false;
        try {
            context.open(call.gateway());
            isOpen = true;
        } finally {
            if (!isOpen) {
                call.contexts().remove(context.id());
            }
        }
        call.json(200, context.info());
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
