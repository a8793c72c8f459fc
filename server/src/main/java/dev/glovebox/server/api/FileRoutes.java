package dev.glovebox.server.api;

import dev.glovebox.core.ByteSource;
import dev.glovebox.core.Command;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.FileEntry;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.Limits;
import dev.glovebox.core.WatchEvent;
import dev.glovebox.core.WatchSink;
import dev.glovebox.server.api.Route.Access;
import dev.glovebox.server.api.Route.Answer;
import dev.glovebox.wire.api.FileList;
import dev.glovebox.wire.api.FileResponse;
import dev.glovebox.wire.api.MoveRequest;
import dev.glovebox.wire.api.PathRequest;
import dev.glovebox.wire.api.WatchResponse;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Files in a sandbox. Contents are raw bytes, streamed both ways.
final class FileRoutes {
    private static final String FILES = SandboxRoutes.ONE + "/files";
    private static final Route.QueryParameter PATH =
            Route.required("path", "absolute, or relative to the home directory");

    private static final Route.QueryParameter USER =
            Route.optional("user", "with whose rights; the sandbox's default user if left out");

    private FileRoutes() {}

    static List<Route> all() {
        return List.of(
                route("GET", "", "Read a file", null, new Answer.Bytes(), FileRoutes::read, PATH, USER),
                route("PUT", "", "Replace or make a file", null, file(), FileRoutes::write, PATH, USER),
                route(
                        "DELETE",
                        "",
                        "Remove a file or a directory",
                        null,
                        new Answer.Nothing(),
                        FileRoutes::remove,
                        PATH,
                        USER),
                route("GET", "/stat", "Look at a file", null, file(), FileRoutes::stat, PATH, USER),
                route(
                        "GET",
                        "/list",
                        "List a directory",
                        null,
                        new Answer.Json(200, FileList.class),
                        FileRoutes::list,
                        PATH,
                        USER,
                        Route.optional("depth", "how many levels; 1 if left out")),
                route(
                        "GET",
                        "/watch",
                        "Tell what happens in a directory, as server-sent events, until it is gone",
                        null,
                        new Answer.Events(WatchResponse.class),
                        FileRoutes::watch,
                        PATH,
                        USER,
                        Route.optional("recursive", "true: also what is below it")),
                route("POST", "/mkdir", "Make a directory", PathRequest.class, file(), FileRoutes::makeDirectory, USER),
                route(
                        "POST",
                        "/move",
                        "Move a file or a directory",
                        MoveRequest.class,
                        file(),
                        FileRoutes::move,
                        USER));
    }

    private static Route route(
            String method,
            String suffix,
            String summary,
            @Nullable Class<? extends Record> request,
            Answer answer,
            Route.Handler handler,
            Route.QueryParameter... query) {
        return new Route(method, FILES + suffix, summary, Access.TENANT, List.of(query), request, answer, handler);
    }

    private static Answer file() {
        return new Answer.Json(200, FileResponse.class);
    }

    private static GuestPath path(HttpCall call) {
        return ToCore.path(call.requiredQuery("path"));
    }

    private static FileAccess access(HttpCall call) {
        return ToCore.access(call.query("user"));
    }

    private static void read(HttpCall call) {
        call.sendBytes(
                sink -> call.execute(new Command.ReadFile(call.sandbox(), path(call), access(call), 0, -1, sink)));
    }

    private static void write(HttpCall call) {
        FileEntry made;
        try (WideInput body = call.bytes()) {
            ByteSource source = new StreamSource(body);
            made = call.execute(new Command.WriteFile(call.sandbox(), path(call), access(call), Map.of(), source));
        }
        answer(call, made);
    }

    private static void remove(HttpCall call) {
        call.execute(new Command.RemoveFile(call.sandbox(), path(call), access(call)));
        call.done();
    }

    private static void stat(HttpCall call) {
        answer(call, call.execute(new Command.StatFile(call.sandbox(), path(call), access(call))));
    }

    private static void list(HttpCall call) {
        long depth = call.query("depth")
                .map(text -> ToCore.number("the query parameter 'depth'", text, Limits.DIRECTORY_DEPTH_MAX))
                .orElse(1L);
        List<FileEntry> entries = call.execute(
                new Command.ListDirectory(call.sandbox(), path(call), access(call), Math.toIntExact(depth)));
        call.json(200, new FileList(entries.stream().map(ToWire::file).toList()));
    }

    private static void watch(HttpCall call) {
        GuestPath path = path(call);
        WatchResponse answer = new WatchResponse(path.value());
        boolean isRecursive = call.query("recursive").map(Boolean::parseBoolean).orElse(false);
        call.events(answer, events -> {
            WatchSink sink = new WatchSink() {
                @Override
                public void watching() {
                    events.event("watching", answer);
                }

                @Override
                public void event(WatchEvent event) {
                    events.event("file", ToWire.watchEvent(event));
                }
            };
            call.execute(new Command.WatchDirectory(call.sandbox(), path, access(call), isRecursive, sink));
        });
    }

    private static void makeDirectory(HttpCall call) {
        PathRequest request = call.body(PathRequest.class);
        answer(
                call,
                call.execute(new Command.MakeDirectory(call.sandbox(), ToCore.path(request.path()), access(call))));
    }

    private static void move(HttpCall call) {
        MoveRequest request = call.body(MoveRequest.class);
        answer(
                call,
                call.execute(new Command.MoveFile(
                        call.sandbox(), ToCore.path(request.from()), access(call), ToCore.path(request.to()))));
    }

    private static void answer(HttpCall call, FileEntry entry) {
        call.json(200, ToWire.file(entry));
    }
}
