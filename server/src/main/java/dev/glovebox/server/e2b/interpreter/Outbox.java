package dev.glovebox.server.e2b.interpreter;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Lines on their way from an execution to its client. While many wait, the execution does too; when the client has
/// gone, they are thrown away. One thread puts, one takes.
final class Outbox {
    private static final int ROOM_BYTES = 512 * 1024;

    private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(ROOM_BYTES);
    private volatile boolean isClosed;

    /// What is taken.
    sealed interface Item {
        record Line(byte[] bytes) implements Item {}

        /// There is no more.
        record End() implements Item {}

        /// It went wrong in a way that no line tells.
        record Failed(RuntimeException why) implements Item {}
    }

    void put(byte[] line) {
        if (isClosed) {
            return;
        }
        room.acquireUninterruptibly(sizeOf(line));
        items.add(new Item.Line(line));
    }

    void end() {
        items.add(new Item.End());
    }

    void fail(RuntimeException why) {
        items.add(new Item.Failed(why));
    }

    private static int sizeOf(byte[] line) {
        return Math.min(ROOM_BYTES, line.length);
    }

    /// The next; empty if none comes in time.
    Optional<Item> next(Duration patience) throws InterruptedException {
        Optional<Item> item = Optional.ofNullable(items.poll(patience.toNanos(), TimeUnit.NANOSECONDS));
        if (item.isPresent() && item.get() instanceof Item.Line(byte[] bytes)) {
            room.release(sizeOf(bytes));
        }
        return item;
    }

    /// Nobody takes any more.
    void close() {
        isClosed = true;
        items.clear();
        room.release(ROOM_BYTES);
    }
}
