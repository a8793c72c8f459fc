package dev.glovebox.cell;

import dev.glovebox.core.Outcome;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// Decides which guest gets a processor. Few *places* (as many as processors) let guests run at full priority. A
/// guest that has used a place for [#QUANTUM_NANOS] while others want it gives it up and goes on behind all
/// others, at a lower priority of the operating system; a guest that waits for the host gives its place up while
/// it waits. So a short run meets at most as many equals as there are places, however many long ones there are.
///
/// Guests queue for a place ([GuestQueue] has the order). While few of those behind all others compute, who has
/// waited for long starts among them, without a place. When they are a *crowd*, which keeps all processors busy,
/// starting more of them at once gains nothing, and costs: a start is 10 ms of full priority. Then patient
/// guests start one after the other, and one place is kept for newcomers. Everybody's turn comes.
///
/// The system does not let us raise a priority again, and a thread of low priority that holds a lock holds up
/// all who need it. So a guest behind all others takes no lock here: it counts, and the watchdog looks every few
/// milliseconds.
///
/// Thread-safe.
final class GuestScheduler implements AutoCloseable {
    /// Longer than most runs: print(1+1) needs 1 to 2 ms.
    static final long QUANTUM_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /// A place is not held for longer than this, even by a guest that got little of the processor.
    static final long PLACE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// The nice value of those behind all others: a tenth of a full share. Not lower: such a thread may (we
    /// think) hold a lock of V8, or keep the JVM from a safepoint, and everybody waits for it then. At nice 19,
    /// on a machine with other work, one collection took seven seconds (docs/adr/0003).
    static final int NICE_BEHIND = 10;

    /// That of those who came in a burst, beside a crowd: a third of the share of the others behind, so that a
    /// newcomer that needs 50 ms meets few equals.
    static final int NICE_FAR_BEHIND = 15;

    /// So many guests behind all others for each place are a crowd.
    static final int CROWD_PER_PLACE = 2;

    /// Guests that run at once at any priority, waiting ones included: each is a thread.
    static final int RUNNING_MAX = 256;

    /// What waits for a place.
    interface Task {
        /// A number for what it runs, the same each time that it runs; or [EndlessPrograms#UNKNOWN].
        int program();

        /// Runs the guest, on a guest thread.
        void run(Turn turn);

        /// Says that it will not run. Any thread.
        void refuse(String why);
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition placeFreed = lock.newCondition();
    private final GuestQueue queue;
    private final EndlessPrograms endless = new EndlessPrograms();
    private final GuestThreads threads = new GuestThreads();
    private final int places;
    private final int queueMax;
    private final long waitNanosMax;
    private final LongSupplier nanoClock;
    private final AtomicInteger running = new AtomicInteger();
    /// Those behind all others that do not wait for the host.
    private final AtomicInteger burning = new AtomicInteger();

    private final AtomicInteger outside = new AtomicInteger();

    // Changed under the lock; the volatile one is read without it too.
    private volatile int queued;
    private int taken;
    private int takenByPatient;
    private int returning;
    private boolean closed;

    /// @param queueMax so many may wait; one more is refused
    /// @param waitNanosMax who has waited for so long is refused
    GuestScheduler(int places, int queueMax, long waitNanosMax) {
        this(places, queueMax, waitNanosMax, System::nanoTime);
    }

    /// For tests, which have a clock of their own.
    GuestScheduler(int places, int queueMax, long waitNanosMax, LongSupplier nanoClock) {
        this.places = places;
        this.queueMax = queueMax;
        this.waitNanosMax = waitNanosMax;
        this.nanoClock = nanoClock;
        queue = new GuestQueue(places);
    }

    /// Queues a task. It is refused at once if the queue is full.
    void submit(Task task) {
        boolean full;
        lock.lock();
        try {
            full = closed || queue.size() >= queueMax;
            if (!full) {
                queue.add(task, nanoClock.getAsLong(), endless.contains(task.program()));
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
            boolean removed = queue.remove(task);
            queued = queue.size();
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /// Refuses what has waited too long, and starts what can start by now. Called every few milliseconds while
    /// anything runs.
    void tend() {
        List<Task> late;
        lock.lock();
        try {
            long now = nanoClock.getAsLong();
            late = queue.removeLate(now, waitNanosMax);
            while (!isCrowded() && running.get() < RUNNING_MAX) {
                Task patient = queue.nextPatient(now);
                if (patient == null) {
                    break;
                }
                burning.incrementAndGet();
                running.incrementAndGet();
                start(patient, true, false);
            }
            dispatch();
        } finally {
            lock.unlock();
        }
        late.forEach(task -> task.refuse("waited " + TimeUnit.NANOSECONDS.toSeconds(waitNanosMax)
                + " s for a place on a processor in vain; the cell is busy"));
    }

    /// Whether more guests want to compute than there are places.
    boolean isContended() {
        return running.get() - outside.get() + queued > places;
    }

    /// Whether those that had their share keep the processors busy.
    boolean isCrowded() {
        return burning.get() >= CROWD_PER_PLACE * places;
    }

    /// Learns from how a guest ended.
    void learn(Task task, Outcome outcome) {
        endless.learn(task.program(), outcome);
    }

    int running() {
        return running.get();
    }

    int queued() {
        return queued;
    }

    /// Refuses what waits. What runs is not touched.
    @Override
    public void close() {
        List<Task> refused;
        lock.lock();
        try {
            closed = true;
            refused = queue.removeAll();
            queued = 0;
        } finally {
            lock.unlock();
        }
        threads.close();
        refused.forEach(task -> task.refuse("the cell is closing"));
    }

    /// Starts what can start. The lock is held.
    private void dispatch() {
        while (taken + returning < places && running.get() < RUNNING_MAX) {
            long now = nanoClock.getAsLong();
            boolean isCrowded = isCrowded();
            GuestQueue.Next next = isCrowded ? queue.nextBesideCrowd(now, takenByPatient) : queue.next(now);
            if (next == null) {
                break;
            }
            boolean isPatient = isCrowded && next.isPatient();
            taken++;
            if (isPatient) {
                takenByPatient++;
            }
            running.incrementAndGet();
            start(next.task(), false, isPatient);
        }
        queued = queue.size();
    }

    private void start(Task task, boolean isBatch, boolean isPatient) {
        threads.run(threadId -> {
            Turn turn = new Turn(threadId, isBatch, isPatient);
            try {
                task.run(turn);
            } finally {
                turn.end();
            }
            return !turn.isBehind;
        });
    }

    /// One guest's use of a place. [#wait], [#begin] and [#end] are for the guest's thread; the rest is for any.
    final class Turn {
        private final int threadId;
        private final boolean isBatch;
        private final boolean isPatient;
        private volatile boolean isBehind;

        // Guarded by the lock.
        private boolean holdsPlace;
        private boolean holdsAsPatient;
        private boolean isOutside;
        private boolean isOver;

        private Turn(int threadId, boolean isBatch, boolean isPatient) {
            this.threadId = threadId;
            this.isBatch = isBatch;
            this.isPatient = isPatient;
            isBehind = isBatch;
            holdsPlace = !isBatch;
            holdsAsPatient = isPatient;
        }

        int threadId() {
            return threadId;
        }

        /// Whether it was put behind all others.
        boolean isBehind() {
            return isBehind;
        }

        /// Whether it may take what stands ready. Beside a crowd that is kept for newcomers: a short run needs
        /// it more than a burst, which would use it up in an instant.
        boolean mayTakeReady() {
            return !isPatient;
        }

        /// Puts the guest behind all others, and gives its place to the next one.
        void demote() {
            lock.lock();
            try {
                // If it is over, its thread may run another guest already.
                if (isBehind || isOver) {
                    return;
                }
                isBehind = true;
                if (!isOutside) {
                    burning.incrementAndGet();
                }
                giveUpToLongOne();
                placeFreed.signalAll();
            } finally {
                lock.unlock();
            }
            Linux.setNice(threadId, isPatient ? NICE_FAR_BEHIND : NICE_BEHIND);
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
                giveUpToLongOne();
            } finally {
                lock.unlock();
            }
        }

        /// Runs an action that waits for somebody else, without a place.
        void wait(Runnable action) {
            if (isBehind) {
                outside.incrementAndGet();
                burning.decrementAndGet();
                try {
                    action.run();
                } finally {
                    burning.incrementAndGet();
                    outside.decrementAndGet();
                }
                return;
            }
            boolean had;
            lock.lock();
            try {
                had = holdsPlace;
                outside.incrementAndGet();
                isOutside = true;
                if (isBehind) {
                    // Since this method looked.
                    burning.decrementAndGet();
                }
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
                outside.decrementAndGet();
                isOutside = false;
                if (isBehind) {
                    burning.incrementAndGet();
                    return;
                }
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

        private void giveUpToLongOne() {
            if (holdsAsPatient) {
                queue.rest(nanoClock.getAsLong());
            }
            giveUpPlace();
        }

        private void giveUpPlace() {
            if (holdsPlace) {
                holdsPlace = false;
                taken--;
                if (holdsAsPatient) {
                    holdsAsPatient = false;
                    takenByPatient--;
                }
                placeFreed.signalAll();
                dispatch();
            }
        }

        private void end() {
            if (isBehind) {
                burning.decrementAndGet();
                running.decrementAndGet();
                return;
            }
            lock.lock();
            try {
                isOver = true;
                running.decrementAndGet();
                if (isBehind) {
                    // Since this method looked.
                    burning.decrementAndGet();
                }
                giveUpPlace();
                dispatch();
            } finally {
                lock.unlock();
            }
        }
    }
}
