package dev.glovebox.server.e2b.envd;

import dev.glovebox.core.Command;
import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.FileAccess;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.GuestPath;
import dev.glovebox.core.WatchEvent;
import dev.glovebox.core.WatchSink;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// A directory that is watched, on a thread of its own, and what happened in it that nobody has taken yet. When that is
/// much, events wait inside the sandbox, and when it is too much even there, an event says so. One thread takes.
final class DirectoryWatch implements AutoCloseable {
    /// Of paths that wait here.
    private static final int BACKLOG_BYTES = 512 * 1024;

    private static final int EVENT_BYTES = 128;

    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(BACKLOG_BYTES);
    private final Thread thread;

    /// What is taken.
    sealed interface Item {
        /// Nothing is missed from here on. Always the first, unless the watch fails.
        record Begun() implements Item {}

        record Happened(WatchEvent event) implements Item {}

        /// The directory is gone. The last.
        record Ended() implements Item {}

        /// The last.
        record Failed(RuntimeException why) implements Item {}
    }

    private volatile boolean isLost;

    private DirectoryWatch(EnvdCall call, GuestPath path, FileAccess access, boolean recursive, Runnable whenLost) {
        Command.WatchDirectory command =
                new Command.WatchDirectory(call.target().id(), path, access, recursive, new Sink());
        // The request's own objects are not for other threads: the gate and the names are all that is used there.
        var gate = call.gate();
        var principal = call.target().principal();
        thread = Thread.ofVirtual().name("e2b-watch").unstarted(() -> {
            try {
                gate.execute(principal, command);
                items.add(new Item.Ended());
            } catch (RuntimeException e) {
                items.add(new Item.Failed(e));
                if (ConnectFailure.isGone(e)) {
                    isLost = true;
                    whenLost.run();
                }
            }
        });
    }

    /// Begins to watch, and returns when nothing is missed any more.
    ///
    /// @param whenLost is run when the watch was closed, or its sandbox is gone
    /// @throws RuntimeException if the directory cannot be watched
    static DirectoryWatch start(EnvdCall call, GuestPath path, FileAccess access, boolean recursive, Runnable whenLost)
            throws InterruptedException {
        DirectoryWatch watch = new DirectoryWatch(call, path, access, recursive, whenLost);
        watch.thread.start();
        boolean isWatching = false;
        try {
            Item first = watch.items.take();
            if (first instanceof Item.Failed(RuntimeException why)) {
                throw why;
            }
            if (!(first instanceof Item.Begun)) {
                throw new GloveboxException(ErrorCode.FILE_NOT_FOUND, "the directory is gone");
            }
            isWatching = true;
            return watch;
        } finally {
            if (!isWatching) {
                watch.close();
            }
        }
    }

    private final class Sink implements WatchSink {
        @Override
        public void watching() {
            items.add(new Item.Begun());
        }

        @Override
        public void event(WatchEvent event) {
            try {
                room.acquire(sizeOf(event));
                items.add(new Item.Happened(event));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static int sizeOf(WatchEvent event) {
        return Math.min(
                BACKLOG_BYTES,
                EVENT_BYTES + 2 * (event.path().length() + event.target().length()));
    }

    /// The next; empty if nothing comes in time.
    Optional<Item> next(Duration patience) throws InterruptedException {
        Optional<Item> item = Optional.ofNullable(items.poll(patience.toNanos(), TimeUnit.NANOSECONDS));
        if (item.isPresent() && item.get() instanceof Item.Happened(WatchEvent event)) {
            room.release(sizeOf(event));
        }
        return item;
    }

    /// Whether it was closed, or its sandbox is gone.
    boolean isLost() {
        return isLost;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
