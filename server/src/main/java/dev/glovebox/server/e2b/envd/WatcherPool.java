package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.GuestPath;
import dev.glovebox.core.SandboxId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Watchers that clients ask for news from time to time, instead of holding a stream. Each lasts until it is removed or
/// its sandbox ends. Thread-safe.
final class WatcherPool {
    /// In one answer; the rest comes with the next.
    private static final int EVENTS_MAX = 10_000;

    private final Map<Key, Watcher> watchers = new ConcurrentHashMap<>();

    private record Key(SandboxId sandbox, String id) {}

    private static final class Watcher {
        private final DirectoryWatch watch;
        private final WatchEvents events;
        private final ReentrantLock turn = new ReentrantLock();
        private @Nullable RuntimeException failure;

        Watcher(DirectoryWatch watch, WatchEvents events) {
            this.watch = watch;
            this.events = events;
        }
    }

    /// Adds a watcher.
    ///
    /// @return its id, which nobody can guess
    String add(EnvdCall call, GuestPath directory, boolean recursive, WatchEvents events) throws InterruptedException {
        Key key = new Key(call.target().id(), UUID.randomUUID().toString());
        DirectoryWatch watch =
                DirectoryWatch.start(call, directory, events.access(), recursive, () -> watchers.remove(key));
        watchers.put(key, new Watcher(watch, events));
        if (watch.isLost()) {
            watchers.remove(key);
        }
        return key.id();
    }

    /// What happened since the last time.
    List<Map<String, Object>> events(EnvdCall call, String id) throws InterruptedException {
        Watcher watcher = watchers.get(new Key(call.target().id(), id));
        if (watcher == null) {
            throw notFound();
        }
        watcher.turn.lockInterruptibly();
        try {
            List<Map<String, Object>> told = new ArrayList<>();
            while (watcher.failure == null && told.size() < EVENTS_MAX) {
                Optional<DirectoryWatch.Item> item = watcher.watch.next(Duration.ZERO);
                if (item.isEmpty()) {
                    break;
                }
                take(call, watcher, item.get(), told);
            }
            if (told.isEmpty() && watcher.failure != null) {
                forget(call.target().id(), id);
                throw watcher.failure;
            }
            return told;
        } finally {
            watcher.turn.unlock();
        }
    }

    private static void take(EnvdCall call, Watcher watcher, DirectoryWatch.Item item, List<Map<String, Object>> told) {
        switch (item) {
            case DirectoryWatch.Item.Happened(var event) -> {
                try {
                    told.addAll(watcher.events.of(call, event));
                } catch (ConnectFailure lost) {
                    watcher.failure = lost;
                    watcher.watch.close();
                }
            }
            case DirectoryWatch.Item.Failed(RuntimeException why) -> watcher.failure = why;
            case DirectoryWatch.Item.Ended _, DirectoryWatch.Item.Begun _ -> {}
        }
    }

    void remove(EnvdCall call, String id) {
        if (!forget(call.target().id(), id)) {
            throw notFound();
        }
    }

    private boolean forget(SandboxId sandbox, String id) {
        Watcher watcher = watchers.remove(new Key(sandbox, id));
        if (watcher != null) {
            watcher.watch.close();
        }
        return watcher != null;
    }

    private static ConnectFailure notFound() {
        return new ConnectFailure(
                ConnectCode.NOT_FOUND, "there is no watcher of this id: it was removed, or never was");
    }
}
