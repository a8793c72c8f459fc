package dev.glovebox.testkit;

import dev.glovebox.core.PortPeer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/// The outer end of a connection to a port, in a test's hand: says what it is told to, keeps what it hears.
/// Thread-safe.
public final class RecordingPeer implements PortPeer {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> said = new ArrayDeque<>();
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();
    private boolean isConnected;
    private boolean hasSaidAll;
    private boolean hasHeardAll;
    private boolean isClosed;
    private boolean isGone;

    /// Says something; it need not be connected yet.
    public RecordingPeer say(byte[] bytes) {
        change(() -> said.addLast(bytes.clone()));
        return this;
    }

    public RecordingPeer say(String text) {
        return say(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Closes its sending half behind what it said.
    public RecordingPeer sayNoMore() {
        change(() -> hasSaidAll = true);
        return this;
    }

    /// Goes away without a word: reading and writing fail from here on.
    public void leave() {
        change(() -> isGone = true);
    }

    public void awaitConnected() {
        await(() -> isConnected, "it was not connected");
    }

    /// What it heard up to the end of the guest's sending half.
    public byte[] awaitAll() {
        await(() -> hasHeardAll, "the guest did not close its half");
        return heardBytes();
    }

    public String awaitAllText() {
        return new String(awaitAll(), StandardCharsets.UTF_8);
    }

    /// Waits until it has heard that many bytes.
    public void awaitHeard(int bytes) {
        await(() -> heard.size() >= bytes, "it did not hear " + bytes + " bytes");
    }

    public byte[] heardBytes() {
        lock.lock();
        try {
            return heard.toByteArray();
        } finally {
            lock.unlock();
        }
    }

    public boolean isConnected() {
        return ask(() -> isConnected);
    }

    public boolean isClosed() {
        return ask(() -> isClosed);
    }

    /// Whether the guest closed its half, and did not break off.
    public boolean hasHeardAll() {
        return ask(() -> hasHeardAll);
    }

    @Override
    public void connected() {
        change(() -> {
            check(!isConnected, "it is connected twice");
            isConnected = true;
        });
    }

    @Override
    public int read(byte[] target) {
        lock.lock();
        try {
            check(isConnected, "it is read from before it is connected");
            while (said.isEmpty() && !hasSaidAll && !isClosed && !isGone) {
                changed.awaitUninterruptibly();
            }
            checkHere();
            byte[] next = said.poll();
            if (next == null) {
                return -1;
            }
            int count = Math.min(next.length, target.length);
            System.arraycopy(next, 0, target, 0, count);
            if (count < next.length) {
                said.addFirst(Arrays.copyOfRange(next, count, next.length));
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(byte[] bytes) {
        change(() -> {
            check(isConnected && !hasHeardAll, "it is written to before the beginning or behind the end");
            checkHere();
            heard.writeBytes(bytes);
        });
    }

    @Override
    public void end() {
        change(() -> {
            check(isConnected && !hasHeardAll, "it ends before the beginning or twice");
            hasHeardAll = true;
        });
    }

    @Override
    public void close() {
        change(() -> {
            check(isConnected, "it is closed without having been connected");
            isClosed = true;
        });
    }

    private void checkHere() {
        if (isGone || isClosed) {
            throw new Gone("the peer went away", new IllegalStateException("as the test told it to"));
        }
    }

    private static void check(boolean holds, String words) {
        if (!holds) {
            throw new AssertionError(words);
        }
    }

    private void change(Runnable action) {
        lock.lock();
        try {
            action.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean ask(BooleanSupplier question) {
        lock.lock();
        try {
            return question.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    private void await(BooleanSupplier condition, String otherwise) {
        lock.lock();
        try {
            long rest = PATIENCE.toNanos();
            while (!condition.getAsBoolean()) {
                if (rest <= 0) {
                    throw new AssertionError(otherwise + " in " + PATIENCE.toSeconds() + " s");
                }
                rest = changed.awaitNanos(rest);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", interrupted);
        } finally {
            lock.unlock();
        }
    }
}
