package dev.glovebox.cell.isolate;

import com.caoccao.javet.interop.V8Runtime;
import dev.glovebox.core.Outcome;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.OptionalInt;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Whether an isolate may run on, and the only place that asks V8 to stop. Thread-safe.
///
/// V8 keeps a request to stop until JavaScript runs next, so one that comes too late would hit the next execution. Here
/// it reaches V8 only between [#begin()] and [#end()], and `end` takes it back.
final class Control {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final V8Runtime runtime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean running;
    private boolean interrupted;
    private boolean requested;
    private boolean closed;
    private OptionalInt exit = OptionalInt.empty();
    private @Nullable Outcome ending;
    private @Nullable RuntimeException failure;
    private @Nullable Thread thread;
    private long cpuAtBegin;
    private volatile long cpuNanos;

    Control(V8Runtime runtime) {
        this.runtime = runtime;
    }

    /// Returns false if the interpreter was ended for good.
    boolean begin() {
        lock.lock();
        try {
            if (ending != null || closed) {
                return false;
            }
            running = true;
            interrupted = false;
            requested = false;
            exit = OptionalInt.empty();
            thread = Thread.currentThread();
            cpuAtBegin = THREADS.getCurrentThreadCpuTime();
            cpuNanos = 0;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try {
            running = false;
            cpuNanos = THREADS.getCurrentThreadCpuTime() - cpuAtBegin;
            thread = null;
            if (requested && !closed) {
                runtime.cancelTerminateExecution();
            }
        } finally {
            lock.unlock();
        }
    }

    void interrupt() {
        lock.lock();
        try {
            if (running) {
                interrupted = true;
                stop();
            }
        } finally {
            lock.unlock();
        }
    }

    void terminate(Outcome why) {
        lock.lock();
        try {
            if (ending == null) {
                ending = why;
            }
            if (running) {
                stop();
            }
        } finally {
            lock.unlock();
        }
    }

    /// The guest asks for its own end.
    void exit(int code) {
        lock.lock();
        try {
            if (running && exit.isEmpty()) {
                exit = OptionalInt.of(code);
                stop();
            }
        } finally {
            lock.unlock();
        }
    }

    /// A host function failed in a way that is not the guest's doing.
    void fail(RuntimeException cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
            }
            if (running) {
                stop();
            }
        } finally {
            lock.unlock();
        }
    }

    private void stop() {
        requested = true;
        runtime.terminateExecution();
        changed.signalAll();
    }

    /// Asks again, after a nested call into V8 may have swallowed the request.
    void repeatRequest() {
        lock.lock();
        try {
            if (running && requested && !closed) {
                runtime.terminateExecution();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isStopping() {
        lock.lock();
        try {
            return requested;
        } finally {
            lock.unlock();
        }
    }

    boolean isInterrupted() {
        lock.lock();
        try {
            return interrupted;
        } finally {
            lock.unlock();
        }
    }

    OptionalInt exitCode() {
        lock.lock();
        try {
            return exit;
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    Outcome ending() {
        lock.lock();
        try {
            return ending;
        } finally {
            lock.unlock();
        }
    }

    /// What a host function failed with, once.
    @Nullable
    RuntimeException takeFailure() {
        lock.lock();
        try {
            RuntimeException taken = failure;
            failure = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /// Ends a sleep whose reason is over. Any thread.
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// Waits until the time is over, there is a request to stop, or what is waited for has come; whoever brings it
    /// calls [#wake()].
    void sleep(long nanos, BooleanSupplier hasCome) {
        lock.lock();
        try {
            long left = nanos;
            while (left > 0 && !requested && !hasCome.getAsBoolean()) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            terminate(new Outcome.Killed("the thread that ran it was interrupted"));
        } finally {
            lock.unlock();
        }
    }

    long cpuNanos() {
        lock.lock();
        try {
            return thread == null ? cpuNanos : THREADS.getThreadCpuTime(thread.threadId()) - cpuAtBegin;
        } finally {
            lock.unlock();
        }
    }

    /// From here on nothing touches the runtime. Returns false if it was closed before.
    boolean close() {
        lock.lock();
        try {
            boolean first = !closed;
            closed = true;
            return first;
        } finally {
            lock.unlock();
        }
    }
}
