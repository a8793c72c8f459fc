package dev.glovebox.server.e2b.envd;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// Sends a client what happens in a directory, as it happens. Belongs to the thread that serves the request.
final class WatchStream {
    private final EnvdCall call;
    private final ConnectStream stream;
    private final DirectoryWatch watch;
    private final WatchEvents events;

    WatchStream(EnvdCall call, ConnectStream stream, DirectoryWatch watch, WatchEvents events) {
        this.call = call;
        this.stream = stream;
        this.watch = watch;
        this.events = events;
    }

    /// Until the directory is gone, or for as long as the caller wants it.
    void follow(Duration keepalive, Optional<Duration> timeout) throws InterruptedException {
        long began = System.nanoTime();
        while (true) {
            Duration left = timeout.map(time -> time.minusNanos(System.nanoTime() - began))
                    .filter(rest -> rest.compareTo(keepalive) < 0)
                    .orElse(keepalive);
            switch (watch.next(left).orElse(null)) {
                case null -> {
                    if (timeout.isPresent()
                            && System.nanoTime() - began >= timeout.get().toNanos()) {
                        throw new ConnectFailure(ConnectCode.DEADLINE_EXCEEDED, "the watch took as long as it may");
                    }
                    stream.send(Map.of("keepalive", Map.of()));
                }
                case DirectoryWatch.Item.Happened(var event) ->
                    events.of(call, event).forEach(message -> stream.send(Map.of("filesystem", message)));
                case DirectoryWatch.Item.Failed(RuntimeException why) -> throw why;
                case DirectoryWatch.Item.Ended _ -> {
                    return;
                }
                case DirectoryWatch.Item.Begun _ -> {}
            }
        }
    }
}
