package dev.glovebox.server.api;

import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.ProcessId;
import dev.glovebox.sdk.RecordJson;
import dev.glovebox.wire.api.CommandStarted;
import dev.glovebox.wire.api.Content;
import dev.glovebox.wire.api.Problem;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Sends what a guest says as server-sent events, with a comment whenever nothing was sent for a while. A
/// client that reads slowly holds the guest back; one that does not read at all for [#STALL_MAX], or has gone,
/// ends the work.
final class EventSink implements ExecutionSink, AutoCloseable {
    static final String MEDIA_TYPE = "text/event-stream";

    /// Proxies give up on a silent response after 30 or 60 seconds.
    static final Duration KEEPALIVE = Duration.ofSeconds(15);
    /// A client that takes nothing for this long is not coming back.
    static final Duration STALL_MAX = Duration.ofSeconds(60);

    /// So much at least must get through within [#STALL_MAX].
    private static final int SLICE_BYTES = 64 * 1024;

    private static final byte[] COMMENT = ": keepalive\n\n".getBytes(StandardCharsets.US_ASCII);

    private final ServerResponse response;
    private final ClientWatch watch;
    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Utf8Splitter stdout = new Utf8Splitter();
    private final Utf8Splitter stderr = new Utf8Splitter();
    private @Nullable OutputStream out;
    private boolean isClosed;

    /// The write that is under way: whose it is and since when. Read without the lock, which that write holds.
    private volatile @Nullable Pending pending;

    private volatile boolean isStalled;

    private record Pending(Thread writer, long since) {}

    EventSink(ServerResponse response, ClientWatch watch) {
        this.response = response;
        this.watch = watch;
        Thread.ofVirtual().name("event-keepalive").start(this::keepAlive);
    }

    @Override
    public void started(ProcessId process) {
        event("started", new CommandStarted(process.value()));
    }

    @Override
    public void stdout(byte[] bytes) {
        stdout.push(bytes).ifPresent(content -> event("stdout", content));
    }

    @Override
    public void stderr(byte[] bytes) {
        stderr.push(bytes).ifPresent(content -> event("stderr", content));
    }

    @Override
    public void result(MimeBundle bundle) {
        event("result", ToWire.result(bundle));
    }

    /// Whether the response has begun, so that a failure can only be told as an event.
    boolean hasBegun() {
        lock.lock();
        try {
            return out != null;
        } finally {
            lock.unlock();
        }
    }

    void done(Record answer) {
        finishText();
        event("done", answer);
    }

    void failed(Problem problem) {
        finishText();
        event("error", problem);
    }

    private void finishText() {
        stdout.finish().ifPresent((Content rest) -> event("stdout", rest));
        stderr.finish().ifPresent((Content rest) -> event("stderr", rest));
    }

    /// An event of its own kind.
    void event(String name, Record data) {
        byte[] head = ("event: " + name + "\ndata: ").getBytes(StandardCharsets.US_ASCII);
        byte[] json = RecordJson.write(data);
        byte[] all = new byte[head.length + json.length + 2];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(json, 0, all, head.length, json.length);
        all[all.length - 2] = '\n';
        all[all.length - 1] = '\n';
        lock.lock();
        try {
            write(all);
        } finally {
            lock.unlock();
        }
    }

    /// Holds the lock.
    private void write(byte[] bytes) {
        if (isClosed || watch.isGone()) {
            return;
        }
        try {
            OutputStream stream = open();
            for (int from = 0; from < bytes.length; from += SLICE_BYTES) {
                pending = new Pending(Thread.currentThread(), System.nanoTime());
                stream.write(bytes, from, Math.min(SLICE_BYTES, bytes.length - from));
            }
            stream.flush();
        } catch (IOException | RuntimeException e) {
            if (isStalled) {
                Thread.interrupted(); // It was ours, to get out of the write.
            }
            watch.gone();
        } finally {
            pending = null;
        }
    }

    private OutputStream open() {
        OutputStream stream = out;
        if (stream == null) {
            response.header(HeaderNames.CONTENT_TYPE, MEDIA_TYPE);
            response.header(HeaderNames.CACHE_CONTROL, "no-store");
            response.header(HeaderNames.create("X-Accel-Buffering"), "no");
            stream = response.outputStream();
            out = stream;
        }
        return stream;
    }

    private void keepAlive() {
        try {
            while (!ended.await(KEEPALIVE.toMillis(), TimeUnit.MILLISECONDS)) {
                Pending stuck = pending;
                if (stuck != null && System.nanoTime() - stuck.since() > STALL_MAX.toNanos()) {
                    isStalled = true;
                    stuck.writer().interrupt(); // An interrupt closes the channel below the write.
                } else if (lock.tryLock()) {
                    try {
                        write(COMMENT);
                    } finally {
                        lock.unlock();
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Ends the stream.
    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            ended.countDown();
            if (out != null && !watch.isGone()) {
                out.close();
            }
        } catch (IOException | RuntimeException e) {
            watch.gone();
        } finally {
            lock.unlock();
        }
    }
}
