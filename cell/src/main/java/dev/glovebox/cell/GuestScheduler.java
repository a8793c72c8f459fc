package dev.glovebox.cell;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Decides which guest gets a processor. Few *places* (as many as processors) let guests run at full priority.
/// A guest that has used a place for [#QUANTUM_NANOS] while others want it gives it up and goes on behind all
/// others, at a lower priority of the operating system; a guest that waits for the host gives its place up
/// while it waits. So a short run meets at most as many equals as there are places, however many long ones
/// there are.
///
/// Guests queue for a place. Under pressure the newest goes first: after a burst of long guests a short one
/// need not wait for all of them. Who has waited for [#BATCH_NANOS] starts all the same, behind all others, so
/// nobody starves. Thread-safe.
final class GuestScheduler implements AutoCloseable {
    /// Longer than most runs: print(1+1) needs 1 to 2 ms.
    static final long QUANTUM_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /// A place is not held for longer than this, even by a guest that got little of the processor.
    static final long PLACE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// What a task waits for a place before it starts without one.
    static final long BATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /// The nice value of those behind all others: a tenth of a full share. Not lower: such a thread may (we
    /// think) hold a lock of V8, or keep the JVM from a safepoint, and everybody waits for it then. At nice 19,
    /// on a machine with other work, one collection took seven seconds (docs/adr/0003).
    static final int NICE_BEHIND = 10;

    /// Guests behind all others that are started from the queue: together they take no more than a short run
    /// does.
    private static final int BEHIND_MAX_PER_PLACE = 8;

    /// Guests that run at once at any priority, waiting ones included: each is a thread.
    static final int RUNNING_MAX = 256;

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /// V8 keeps clear of the last KiB of its stack limit of 984 KiB; the rest is for host functions.
    private static final long STACK_BYTES = 4L * 1024 * 1024;

    /// What waits for a place.
    interface Task {
        /// Runs the guest, on a guest thread.
        void run(Turn turn);

        /// Says that it will not run. Any thread.
        void refuse(String why);
    }

    private record Waiting(Task task, long sinceNanos) {
        @SuppressWarnings("ReferenceEquality") // tasks are things, not values
        boolean isOf(Task other) {
            return task == other;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition placeFreed = lock.newCondition();
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private final Deque<Worker> idle = new ArrayDeque<>();
    private final int places;
    private final int queueMax;
    private final long waitNanosMax;
    private int taken;
    private int running;
    private int behind;
    private int outside;
    private int returning;
    private boolean closed;

    GuestScheduler(int places, int queueMax, long waitNanosMax) {
        this.places = places;
        this.queueMax = queueMax;
        this.waitNanosMax = waitNanosMax;
    }

    /// Queues a task. It is refused at once if the queue is full.
    void submit(Task task) {
        boolean full;
        lock.lock();
        try {
            full = closed || queue.size() >= queueMax;
            if (!full) {
                queue.addLast(new Waiting(task, System.nanoTime()));
                dispatch();
            }
        } finally {
            lock.unlock();
        }
        if (full) {
            task.refuse("already " + queueMax + " runs wait in this cell; try again later");
        }
    }

    /// Takes a task back that has not begun; false if it has.
    boolean withdraw(Task task) {
        lock.lock();
        try {
            return queue.removeIf(waiting -> waiting.isOf(task));
        } finally {
            lock.unlock();
        }
    }

    /// Refuses what has waited too long, and starts behind all others what has waited long. Called now and
    /// then.
    void expire(long nowNanos) {
        Deque<Task> expired = new ArrayDeque<>();
        lock.lock();
        try {
            queue.removeIf(waiting -> {
                boolean late = nowNanos - waiting.sinceNanos > waitNanosMax;
                if (late) {
                    expired.add(waiting.task);
                }
                return late;
            });
            while (!queue.isEmpty()
                    && nowNanos - queue.getFirst().sinceNanos > BATCH_NANOS
                    && behind < BEHIND_MAX_PER_PLACE * places
                    && running < RUNNING_MAX) {
                behind++;
                running++;
                start(new Worker(true), queue.pollFirst().task);
            }
        } finally {
            lock.unlock();
        }
        expired.forEach(task -> task.refuse("waited " + TimeUnit.NANOSECONDS.toSeconds(waitNanosMax)
                + " s for a place on a processor in vain; the cell is busy"));
    }

    /// Whether more guests want to compute than there are places.
    boolean isContended() {
        lock.lock();
        try {
            return running - outside + queue.size() > places;
        } finally {
            lock.unlock();
        }
    }

    int running() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    int queued() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /// Refuses what waits. What runs is not touched.
    @Override
    public void close() {
        Deque<Waiting> refused;
        lock.lock();
        try {
            closed = true;
            refused = new ArrayDeque<>(queue);
            queue.clear();
            idle.forEach(Worker::dismiss);
            idle.clear();
        } finally {
            lock.unlock();
        }
        refused.forEach(waiting -> waiting.task.refuse("the cell is closing"));
    }

    /// Starts what can start. The lock is held.
    private void dispatch() {
        while (taken + returning < places && running < RUNNING_MAX && !queue.isEmpty()) {
            Waiting next = queue.size() > places ? queue.pollLast() : queue.pollFirst();
            taken++;
            running++;
            Worker worker = idle.pollFirst();
            if (worker == null) {
                start(new Worker(false), next.task);
            } else {
                worker.give(next.task);
            }
        }
    }

    private void start(Worker worker, Task first) {
        worker.give(first);
        Thread.ofPlatform().name("guest").daemon().stackSize(STACK_BYTES).start(worker);
    }

    /// One guest's use of a place. [#wait] and [#end] are for the guest's thread; [#demote] is for any.
    final class Turn {
        private final int threadId;
        private final boolean isBatch;
        private boolean isBehind;
        private boolean holdsPlace;

        private Turn(int threadId, boolean isBatch) {
            this.threadId = threadId;
            this.isBatch = isBatch;
            isBehind = isBatch;
            holdsPlace = !isBatch;
        }

        int threadId() {
            return threadId;
        }

        /// Puts the guest behind all others, and gives its place to the next one.
        void demote() {
            lock.lock();
            try {
                if (isBehind) {
                    return;
                }
                isBehind = true;
                behind++;
                giveUpPlace();
            } finally {
                lock.unlock();
            }
            Linux.setNice(threadId, NICE_BEHIND);
        }

        /// Guest code begins now. What a guest behind all others did before, it did at full priority, because
        /// making an interpreter takes locks of V8 that others wait for. On the guest's thread.
        void begin() {
            if (isBatch) {
                Linux.setNice(threadId, NICE_BEHIND);
            }
        }

        /// Lets the next one start beside this guest.
        void share() {
            lock.lock();
            try {
                giveUpPlace();
            } finally {
                lock.unlock();
            }
        }

        /// Runs an action that waits for somebody else, without a place.
        void wait(Runnable action) {
            boolean had;
            lock.lock();
            try {
                had = holdsPlace;
                outside++;
                giveUpPlace();
            } finally {
                lock.unlock();
            }
            try {
                action.run();
            } finally {
                comeBack(had);
            }
        }

        private void comeBack(boolean toPlace) {
            lock.lock();
            try {
                outside--;
                if (!toPlace) {
                    return;
                }
                returning++;
                while (taken >= places && !isBehind) {
                    placeFreed.awaitUninterruptibly();
                }
                returning--;
                if (isBehind) {
                    dispatch();
                } else {
                    taken++;
                    holdsPlace = true;
                }
            } finally {
                lock.unlock();
            }
        }

        private void giveUpPlace() {
            if (holdsPlace) {
                holdsPlace = false;
                taken--;
                placeFreed.signalAll();
                dispatch();
            }
        }

        /// Ends the turn. The worker is first in line for the next task, unless its priority is spoilt.
        private boolean end(Worker worker) {
            lock.lock();
            try {
                boolean reusable = !isBehind && !closed;
                if (reusable) {
                    idle.addFirst(worker);
                }
                running--;
                if (isBehind) {
                    behind--;
                }
                giveUpPlace();
                dispatch();
                return reusable;
            } finally {
                lock.unlock();
            }
        }
    }

    /// A guest thread: runs one task after the other, until it was demoted, because priority cannot be raised
    /// again.
    private final class Worker implements Runnable {
        private final Condition given = lock.newCondition();
        private final boolean isBatch;
        private @Nullable Task task;
        private boolean dismissed;

        Worker(boolean isBatch) {
            this.isBatch = isBatch;
        }

        private void give(Task next) {
            task = next;
            given.signal();
        }

        private void dismiss() {
            dismissed = true;
            given.signal();
        }

        @Override
        public void run() {
            int threadId = Linux.threadId();
            for (Task next = next(); next != null; next = next()) {
                Turn turn = new Turn(threadId, isBatch);
                boolean reusable;
                try {
                    next.run(turn);
                } finally {
                    reusable = turn.end(this);
                }
                if (!reusable) {
                    return;
                }
            }
        }

        private @Nullable Task next() {
            lock.lock();
            try {
                for (long left = IDLE_NANOS; task == null && !dismissed && left > 0; ) {
                    left = given.awaitNanos(left);
                }
                idle.remove(this);
                Task next = task;
                task = null;
                return next;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            } finally {
                lock.unlock();
            }
        }
    }
}
