package dev.glovebox.egress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/// One thread that moves the bytes of many connections. A connection that has nothing to move costs it no
/// memory beside its two sockets: there is one buffer for all, and others are taken only while somebody does
/// not read.
///
/// Everything that is not marked otherwise is called by this thread only.
final class SpliceLoop implements AutoCloseable {
    static final int BUFFER_BYTES = 512 * 1024;

    private static final System.Logger LOG = System.getLogger(SpliceLoop.class.getName());
    private static final int SPARE_BUFFERS_MAX = 16;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Selector selector;
    private final ResetWatch resets = new ResetWatch();
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Later> later = new PriorityQueue<>();
    private final Set<Splice> splices = new HashSet<>();
    private final Deque<ByteBuffer> spare = new ArrayDeque<>();
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private volatile boolean isClosed;

    SpliceLoop(int number) {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("no selector for the network of sandboxes", e);
        }
        thread = Thread.ofPlatform().name("egress-splice-" + number).daemon().start(this::run);
    }

    private record Later(long at, Runnable task) implements Comparable<Later> {
        @Override
        public int compareTo(Later other) {
            return Long.compare(at - other.at, 0);
        }
    }

    /// Has the loop do something; from any thread. After [#close] it is not done.
    void execute(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    void schedule(long nanos, Runnable task) {
        later.add(new Later(System.nanoTime() + nanos, task));
    }

    ByteBuffer scratch() {
        return scratch.clear();
    }

    ByteBuffer takeBuffer() {
        ByteBuffer buffer = spare.poll();
        return buffer == null ? ByteBuffer.allocateDirect(BUFFER_BYTES) : buffer.clear();
    }

    void giveBuffer(ByteBuffer buffer) {
        if (spare.size() < SPARE_BUFFERS_MAX) {
            spare.add(buffer);
        }
    }

    SelectionKey register(SocketChannel channel, Object end) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, 0, end);
    }

    void add(Splice splice) {
        splices.add(splice);
    }

    void remove(Splice splice) {
        splices.remove(splice);
    }

    private void run() {
        schedule(LOOK_NANOS, this::look);
        while (!isClosed) {
            try {
                turn();
            } catch (IOException | RuntimeException e) {
                // One connection's trouble is handled by it; this is ours, and must not stop the others.
                LOG.log(System.Logger.Level.ERROR, "moving bytes of sandboxes failed for a moment", e);
            }
        }
        for (Splice splice : new ArrayList<>(splices)) {
            splice.end("server.stopped", "", true);
        }
        resets.close();
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a selector could not be closed", e);
        }
    }

    private void turn() throws IOException {
        Later first = later.peek();
        if (first == null) {
            selector.select();
        } else {
            long nanos = first.at - System.nanoTime();
            if (nanos <= 0) {
                selector.selectNow();
            } else {
                selector.select(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
            }
        }
        for (SelectionKey key : selector.selectedKeys()) {
            Splice.End end = (Splice.End) key.attachment();
            try {
                end.ready();
            } catch (RuntimeException e) {
                // A socket that was closed by somebody else, at the worst moment.
                LOG.log(System.Logger.Level.DEBUG, "a connection of a sandbox is broken off", e);
                end.fail();
            }
        }
        selector.selectedKeys().clear();
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        long now = System.nanoTime();
        while (!later.isEmpty() && later.element().at - now <= 0) {
            later.remove().task.run();
        }
    }

    /// For what no byte tells.
    private void look() {
        schedule(LOOK_NANOS, this::look);
        long now = System.nanoTime();
        for (Splice splice : new ArrayList<>(splices)) {
            splice.endIfIdle(now);
        }
        List<Splice.End> unwatched = new ArrayList<>();
        for (Splice splice : splices) {
            splice.addUnwatched(unwatched);
        }
        resets.find(unwatched).forEach(Splice.End::broken);
    }

    /// Ends all connections; from any thread. Returns when the loop has ended.
    @Override
    public void close() {
        isClosed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
