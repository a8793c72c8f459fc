package dev.glovebox.conformance;

import dev.glovebox.sdk.OutputListener;
import dev.glovebox.wire.api.RichResult;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What a guest has said up to now. Thread-safe.
final class Heard implements OutputListener {
    private static final Duration WAIT_MAX = Duration.ofSeconds(30);

    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private final List<RichResult> results = new ArrayList<>();
    private long pid;
    private long firstStdoutNanos;

    @Override
    public synchronized void started(long started) {
        pid = started;
        notifyAll();
    }

    @Override
    public synchronized void stdout(byte[] bytes) {
        if (stdout.size() == 0) {
            firstStdoutNanos = System.nanoTime();
        }
        stdout.writeBytes(bytes);
        notifyAll();
    }

    @Override
    public synchronized void stderr(byte[] bytes) {
        stderr.writeBytes(bytes);
    }

    @Override
    public synchronized void result(RichResult result) {
        results.add(result);
    }

    synchronized String out() {
        return stdout.toString(StandardCharsets.UTF_8);
    }

    synchronized String err() {
        return stderr.toString(StandardCharsets.UTF_8);
    }

    synchronized List<RichResult> results() {
        return List.copyOf(results);
    }

    synchronized long firstStdoutNanos() {
        return firstStdoutNanos;
    }

    /// The process' id, as soon as it is known.
    synchronized long awaitPid() {
        await(() -> pid > 0, "the start of a process");
        return pid;
    }

    synchronized void awaitOut(String text) {
        await(() -> out().contains(text), "the output '" + text + "'");
    }

    private synchronized void await(java.util.function.BooleanSupplier condition, String what) {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        try {
            while (!condition.getAsBoolean()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new AssertionError(
                            what + " did not come within " + WAIT_MAX.toSeconds() + " s; there is: " + out() + err());
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
