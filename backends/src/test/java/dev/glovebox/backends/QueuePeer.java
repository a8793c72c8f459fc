package dev.glovebox.backends;

import dev.glovebox.core.PortPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A peer that says what a test tells it to, and notes all that it is told. Thread-safe.
final class QueuePeer implements PortPeer {
    /// What it says next: bytes, that it says no more, or nothing at all because it left.
    private sealed interface Word {
        record Bytes(byte[] content) implements Word {}

        record NoMore() implements Word {}

        record Left() implements Word {}
    }

    private final BlockingQueue<Word> said = new LinkedBlockingQueue<>();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile CountDownLatch mayWrite = new CountDownLatch(0);
    private volatile boolean refuses;

    void say(String text) {
        say(text.getBytes(StandardCharsets.UTF_8));
    }

    void say(byte[] content) {
        for (int from = 0; from < content.length; from += 50_000) {
            said.add(new Word.Bytes(Arrays.copyOfRange(content, from, Math.min(content.length, from + 50_000))));
        }
    }

    void sayNoMore() {
        said.add(new Word.NoMore());
    }

    void leave() {
        said.add(new Word.Left());
    }

    void holdWrites() {
        mayWrite = new CountDownLatch(1);
    }

    void releaseWrites() {
        mayWrite.countDown();
    }

    void refuseWrites() {
        refuses = true;
    }

    void awaitHeldWrite() throws InterruptedException {
        if (!held.await(20, TimeUnit.SECONDS)) {
            throw new AssertionError("nothing was written");
        }
    }

    /// What it was told next.
    String take() throws InterruptedException {
        String next = news.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("it was told nothing more");
        }
        return next;
    }

    List<String> heard() {
        return List.copyOf(heard);
    }

    private void note(String what) {
        heard.add(what);
        news.add(what);
    }

    @Override
    public void connected() {
        note("connected");
    }

    @Override
    public int read(byte[] target) {
        try {
            return switch (said.take()) {
                case Word.Bytes(byte[] content) -> {
                    System.arraycopy(content, 0, target, 0, content.length);
                    yield content.length;
                }
                case Word.NoMore() -> -1;
                case Word.Left() -> throw new Gone("it left", new IOException("reset"));
            };
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Override
    public void write(byte[] bytes) {
        if (refuses) {
            throw new Gone("it left", new IOException("broken pipe"));
        }
        held.countDown();
        try {
            while (!mayWrite.await(1, TimeUnit.MILLISECONDS)) {
                if (closed.getCount() == 0) {
                    throw new Gone("it was closed", new IOException("closed"));
                }
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        note(new String(bytes, StandardCharsets.UTF_8));
    }

    @Override
    public void end() {
        note("end");
    }

    @Override
    public void close() {
        if (closed.getCount() > 0) {
            closed.countDown();
            note("close");
            leave();
        }
    }
}
