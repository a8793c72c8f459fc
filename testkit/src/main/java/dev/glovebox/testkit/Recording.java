package dev.glovebox.testkit;

import dev.glovebox.core.ExecutionSink;
import dev.glovebox.core.MimeBundle;
import dev.glovebox.core.ProcessId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/// A sink that keeps all that a guest says, for a test to look at while it still speaks. Thread-safe.
public final class Recording implements ExecutionSink {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private final List<MimeBundle> results = new ArrayList<>();
    private boolean started;
    private long guestPid = -1;

    @Override
    public void started(ProcessId process) {
        change(() -> started = true);
    }

    @Override
    public void running(long pid) {
        change(() -> guestPid = pid);
    }

    /// The process id inside; -1 if the program never began.
    public long guestPid() {
        lock.lock();
        try {
            return guestPid;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void stdout(byte[] bytes) {
        change(() -> stdout.writeBytes(bytes));
    }

    @Override
    public void stderr(byte[] bytes) {
        change(() -> stderr.writeBytes(bytes));
    }

    @Override
    public void result(MimeBundle bundle) {
        change(() -> results.add(bundle));
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

    public byte[] stdoutBytes() {
        lock.lock();
        try {
            return stdout.toByteArray();
        } finally {
            lock.unlock();
        }
    }

    public String stdout() {
        return new String(stdoutBytes(), StandardCharsets.UTF_8);
    }

    public String stderr() {
        lock.lock();
        try {
            return stderr.toString(StandardCharsets.UTF_8);
        } finally {
            lock.unlock();
        }
    }

    public List<MimeBundle> results() {
        lock.lock();
        try {
            return List.copyOf(results);
        } finally {
            lock.unlock();
        }
    }

    public void awaitStarted() {
        await("the start", recording -> recording.started);
    }

    public void awaitStdout(String text) {
        await(
                "'" + text + "' on standard output",
                recording -> recording.stdout.toString(StandardCharsets.UTF_8).contains(text));
    }

    private void await(String what, Predicate<Recording> condition) {
        lock.lock();
        try {
            long rest = Duration.ofSeconds(30).toNanos();
            while (!condition.test(this)) {
                if (rest <= 0) {
                    throw new AssertionError("waited in vain for " + what + "; standard output: "
                            + stdout.toString(StandardCharsets.UTF_8) + "; standard error: "
                            + stderr.toString(StandardCharsets.UTF_8));
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
