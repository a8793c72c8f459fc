package dev.glovebox.cell;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The threads that guests run on. Each runs one guest after the other until its priority is spoilt: the system
/// does not let us raise it again. New ones are started by a thread of their own, which never loses its
/// priority, because a thread begins with the priority of the one that starts it; and because the start takes
/// milliseconds on a busy machine, for which nobody should hold a lock. Thread-safe.
final class GuestThreads implements AutoCloseable {
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /// V8 keeps clear of the last KiB of its stack limit of 984 KiB; the rest is for host functions.
    private static final long STACK_BYTES = 4L * 1024 * 1024;

    /// What a thread does.
    interface Job {
        /// Does it, on the thread whose number is given, and says whether that can do another.
        boolean run(int threadId);
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition isNeeded = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Worker> idle = new ArrayDeque<>();
    private final Deque<Job> waiting = new ArrayDeque<>();
    private int starting;
    private boolean isStarted;
    private boolean closed;

    /// Has a thread do it, soon. Does not block. The first call must not come from one of these threads.
    void run(Job job) {
        lock.lock();
        try {
            Worker worker = idle.pollFirst();
            if (worker != null) {
                worker.give(job);
                return;
            }
            waiting.addLast(job);
            if (!isStarted) {
                isStarted = true;
                Thread.ofPlatform().name("guest-starter").daemon().start(this::startThem);
            }
            isNeeded.signal();
        } finally {
            lock.unlock();
        }
    }

    private void startThem() {
        while (awaitNeed()) {
            Thread.ofPlatform().name("guest").daemon().stackSize(STACK_BYTES).start(new Worker());
        }
    }

    private boolean awaitNeed() {
        lock.lock();
        try {
            while (waiting.size() <= starting && !closed) {
                isNeeded.awaitUninterruptibly();
            }
            starting++;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /// Ends threads that have nothing to do. The others end with what they do.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            isNeeded.signalAll();
            idle.forEach(Worker::dismiss);
            idle.clear();
        } finally {
            lock.unlock();
        }
    }

    private final class Worker implements Runnable {
        private final Condition isGiven = lock.newCondition();
        private @Nullable Job given;
        private boolean dismissed;

        private void give(Job job) {
            given = job;
            isGiven.signal();
        }

        private void dismiss() {
            dismissed = true;
            isGiven.signal();
        }

        @Override
        public void run() {
            int threadId = Linux.threadId();
            for (Job job = first(); job != null; job = next()) {
                if (!job.run(threadId)) {
                    return;
                }
            }
        }

        private @Nullable Job first() {
            lock.lock();
            try {
                starting--;
                return waiting.isEmpty() ? await() : waiting.pollFirst();
            } finally {
                lock.unlock();
            }
        }

        private @Nullable Job next() {
            lock.lock();
            try {
                return waiting.isEmpty() ? await() : waiting.pollFirst();
            } finally {
                lock.unlock();
            }
        }

        private @Nullable Job await() {
            if (closed) {
                return null;
            }
            // The last one to become idle is the first to be used: its memory is warm.
            idle.addFirst(this);
            try {
                for (long left = IDLE_NANOS; given == null && !dismissed && left > 0; ) {
                    left = isGiven.awaitNanos(left);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            idle.remove(this);
            Job job = given;
            given = null;
            return job;
        }
    }
}
