package dev.glovebox.sdk;

import dev.glovebox.wire.api.CommandStarted;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.Problem;
import dev.glovebox.wire.api.RichResult;
import dev.glovebox.wire.api.WatchEventResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/// A run, command or execution as the server streams it: its output to a listener, its last event to the caller.
final class EventStream {
    static final String MEDIA_TYPE = "text/event-stream";

    private EventStream() {}

    static <T extends Record> T follow(InputStream body, OutputListener listener, Class<T> done) throws IOException {
        EventReader events = new EventReader(body);
        while (true) {
            EventReader.Event event = events.next();
            switch (event.name()) {
                case "started" ->
                    listener.started(read(CommandStarted.class, event).pid());
                case "stdout" -> listener.stdout(Contents.bytes(read(Content.class, event)));
                case "stderr" -> listener.stderr(Contents.bytes(read(Content.class, event)));
                case "result" -> listener.result(read(RichResult.class, event));
                case "error" -> throw new ApiException(read(Problem.class, event));
                case "done" -> {
                    return read(done, event);
                }
                default -> {} // A newer server may say more.
            }
        }
    }

    static void watch(InputStream body, Runnable watching, Consumer<WatchEventResponse> listener) throws IOException {
        EventReader events = new EventReader(body);
        while (true) {
            EventReader.Event event = events.next();
            switch (event.name()) {
                case "watching" -> watching.run();
                case "file" -> listener.accept(read(WatchEventResponse.class, event));
                case "error" -> throw new ApiException(read(Problem.class, event));
                case "done" -> {
                    return;
                }
                default -> {} // A newer server may say more.
            }
        }
    }

    private static <T extends Record> T read(Class<T> type, EventReader.Event event) {
        return RecordJson.read(type, event.data(), RecordJson.UnknownFields.PASSED_OVER);
    }
}
