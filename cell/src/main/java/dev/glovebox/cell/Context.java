package dev.glovebox.cell;

import dev.glovebox.core.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One code context: an interpreter of its own, and the executions that wait for it, one after the other.
/// Thread-safe.
final class Context implements AutoCloseable {
    /// Executions that may wait in one context.
    static final int QUEUE_MAX = 64;

    private final String name;
    private final Interpreter interpreter;
    private final boolean pooled;
    private final GuestScheduler scheduler;
    private final Runnable onEnd;

    // Guarded by `this`.
    private final Deque<GuestRun> queue = new ArrayDeque<>();
    private @Nullable GuestRun current;
    private boolean closing;
    private boolean released;

    /// @param onEnd takes the context out of its sandbox
    Context(String name, GuestRun.Acquired acquired, GuestScheduler scheduler, Runnable onEnd) {
        this.name = name;
        interpreter = acquired.interpreter();
        pooled = acquired.pooled();
        this.scheduler = scheduler;
        this.onEnd = onEnd;
    }

    String name() {
        return name;
    }

    Interpreter interpreter() {
        return interpreter;
    }

    boolean pooled() {
        return pooled;
    }

    long memoryBytes() {
        return interpreter.memoryPeakBytes();
    }

    /// Queues an execution; false if the context has ended or too many wait.
    boolean enqueue(GuestRun run) {
        synchronized (this) {
            if (closing || queue.size() >= QUEUE_MAX) {
                return false;
            }
            if (current != null) {
                queue.addLast(run);
                return true;
            }
            current = run;
        }
        scheduler.submit(run);
        return true;
    }

    /// An execution is over and let the interpreter go, or never began. The next one follows if there can be
    /// one.
    void over(GuestRun run, boolean alive) {
        GuestRun next = null;
        List<GuestRun> lost = List.of();
        boolean release = false;
        synchronized (this) {
            if (current != run) {
                queue.remove(run);
                return;
            }
            current = null;
            if (alive && !closing) {
                next = queue.pollFirst();
                current = next;
            } else {
                closing = true;
                lost = List.copyOf(queue);
                queue.clear();
                release = !released;
                released = true;
            }
        }
        if (next != null) {
            // Not on this thread, which may have a low priority: it would hold the scheduler's lock for long.
            GuestRun following = next;
            Thread.ofVirtual().name("next-execution").start(() -> scheduler.submit(following));
        }
        if (release) {
            end(lost);
        }
    }

    private void end(List<GuestRun> lost) {
        onEnd.run();
        lost.forEach(run -> run.lose("the context was lost by an earlier execution or closed"));
        interpreter.close();
    }

    /// Ends what runs here, and the interpreter as soon as nothing does.
    @Override
    public void close() {
        GuestRun running;
        List<GuestRun> lost = List.of();
        boolean release = false;
        synchronized (this) {
            closing = true;
            running = current;
            if (running == null) {
                lost = List.copyOf(queue);
                queue.clear();
                release = !released;
                released = true;
            }
        }
        if (running != null) {
            running.end(new Outcome.Killed("its context was closed"));
        }
        if (release) {
            end(lost);
        }
    }
}
