package dev.glovebox.cell;

import dev.glovebox.core.GloveboxException;
import dev.glovebox.core.Limits;
import dev.glovebox.core.Outcome;
import dev.glovebox.core.ResourceLimits;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One process or execution, from its place in the queue to its CLOSE. The first reason to end wins, and CLOSE
/// is sent when it is known: a guest thread that needs longer to die is nobody's concern but its own.
/// Thread-safe.
final class GuestRun implements GuestScheduler.Task, Watchdog.Watched {
    /// What an execution has, after an interrupt at its limit, to save its context.
    private static final long HEED_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    private static final long NEVER = Long.MAX_VALUE;

    /// What differs between a process and an execution.
    interface Work {
        /// See [GuestScheduler.Task#program()].
        int program();

        /// An interpreter at hand. On the guest's thread, before its clock starts.
        ///
        /// @param mayTakeReady whether it may be one that stands ready
        Acquired acquire(boolean mayTakeReady);

        /// Runs the guest to its end.
        Outcome run(Interpreter interpreter, GuestStreams streams);

        /// Whether a limit interrupts first, so that what the interpreter holds survives.
        boolean hasState();

        /// It will never begin.
        default void drop() {}

        /// After CLOSE, on the guest's thread or another. `alive` says whether the interpreter can go on.
        void release(Interpreter interpreter, boolean alive);
    }

    private enum Phase {
        WAITING,
        BEGUN,
        DROPPED
    }

    record Acquired(Interpreter interpreter, boolean pooled) {}

    private final long id;
    private final int program;
    private final Work work;
    private final ResourceLimits limits;
    private final ChannelOutput output;
    private final Inbox input;
    private final ChannelStreams streams;
    private final Cellmates cellmates;
    private final Consumer<GuestRun> onClose;
    private final long queuedNanos = System.nanoTime();

    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WAITING);
    private final AtomicReference<@Nullable Outcome> ended = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile GuestScheduler.@Nullable Turn turn;
    private volatile @Nullable Interpreter interpreter;
    private volatile boolean cancelled;
    private volatile boolean interrupted;
    private volatile long beganNanos;
    private volatile long startNanos;
    private volatile long cpuAtStart;
    private volatile long phaseNanos;
    private volatile boolean pooled;
    private volatile long cpuNanos;

    // Changed under the monitor of `this`. The guest's thread only reads, and without it: with a low priority it might
    // hold it for long, and the watchdog would wait.
    private volatile @Nullable Outcome atDeadline;
    private long deadlineNanos = NEVER;
    private boolean demoted;
    private boolean shared;

    /// What all runs of a cell share.
    record Cellmates(GuestScheduler scheduler, Watchdog watchdog, Closer closer, CellLog log) {}

    GuestRun(long id, Work work, ResourceLimits limits, ChannelIo io, Cellmates cellmates, Consumer<GuestRun> onClose) {
        this.id = id;
        this.work = work;
        program = work.program();
        this.limits = limits;
        this.cellmates = cellmates;
        this.onClose = onClose;
        input = io.input();
        output = io.output(this::waitOutside);
        streams = new ChannelStreams(output, input, limits.outputBytes(), this::waitOutside, this::end);
    }

    long id() {
        return id;
    }

    /// Processor time that it used, once it is over.
    long cpuNanos() {
        return cpuNanos;
    }

    /// Memory that it holds now.
    long memoryBytes() {
        Interpreter running = interpreter;
        return running == null || closed.get() ? 0 : running.memoryPeakBytes();
    }

    ChannelOutput output() {
        return output;
    }

    @Override
    public int program() {
        return program;
    }

    private void waitOutside(Runnable action) {
        GuestScheduler.Turn current = turn;
        if (current == null) {
            action.run();
        } else {
            current.wait(action);
        }
    }

    @Override
    public void run(GuestScheduler.Turn newTurn) {
        if (!phase.compareAndSet(Phase.WAITING, Phase.BEGUN)) {
            return;
        }
        long began = System.nanoTime();
        beganNanos = began;
        cpuAtStart = Linux.cpuNanos(newTurn.threadId());
        turn = newTurn;
        cellmates.watchdog().add(this);
        try {
            acquireAndRun(newTurn, began);
        } finally {
            cellmates.watchdog().remove(this);
        }
    }

    private void acquireAndRun(GuestScheduler.Turn newTurn, long began) {
        Interpreter taken;
        try {
            Acquired acquired = work.acquire(newTurn.mayTakeReady());
            taken = acquired.interpreter();
            pooled = acquired.pooled();
        } catch (GloveboxException e) {
            refuse(Statuses.of(e.code()), Statuses.words(e));
            return;
        } catch (RuntimeException e) {
            cellmates.log().error("no interpreter", e);
            refuse(Status.FAILED, "no interpreter could be made; the cell's log says why");
            return;
        }
        long now = System.nanoTime();
        phaseNanos = now - began;
        cpuAtStart = Linux.cpuNanos(newTurn.threadId());
        startNanos = now;
        interpreter = taken;
        newTurn.begin();
        boolean alive = false;
        try {
            alive = runGuest(taken);
        } finally {
            release(newTurn, taken, alive);
        }
    }

    private void release(GuestScheduler.Turn current, Interpreter taken, boolean alive) {
        if (current.isBehind()) {
            cellmates.closer().close(() -> work.release(taken, alive));
        } else {
            work.release(taken, alive);
        }
    }

    private boolean runGuest(Interpreter taken) {
        Outcome outcome;
        boolean alive = false;
        try {
            Outcome early = ended.get();
            if (early != null) {
                complete(early);
                return false;
            }
            output.record(Fields.builder()
                    .flag(Tag.STARTED, true)
                    .number(Tag.PROCESS_ID, id)
                    .flag(Tag.POOLED, pooled)
                    .build());
            outcome = work.run(taken, streams);
            output.drain();
            alive = ended.get() == null;
        } catch (RuntimeException | StackOverflowError e) {
            if (ended.get() == null) {
                cellmates.log().error("a guest's run failed", e);
            }
            outcome = new Outcome.BackendLost("the interpreter failed; the cell's log says why");
        }
        cellmates.watchdog().remove(this);
        if (atDeadline instanceof Outcome.TimedOut timedOut && work.hasState()) {
            outcome = timedOut;
        }
        if (alive && ended.compareAndSet(null, outcome)) {
            input.close();
            complete(outcome);
            return keepsGoing(outcome, taken);
        }
        Outcome earlier = ended.get();
        Outcome why = earlier == null ? outcome : earlier;
        complete(why);
        return false;
    }

    /// Whether the interpreter survives this end of what ran in it.
    private boolean keepsGoing(Outcome outcome, Interpreter ran) {
        boolean stopped = outcome instanceof Outcome.Killed || outcome instanceof Outcome.KilledByPolicy;
        return !stopped && !(outcome instanceof Outcome.BackendLost) && ran.isUsable();
    }

    /// Ends the guest for a reason. The first call wins. Any thread; does not block.
    void end(Outcome why) {
        if (!ended.compareAndSet(null, why)) {
            return;
        }
        output.seal();
        input.close();
        Interpreter running = interpreter;
        if (running != null) {
            running.terminate(why);
        }
        boolean dropped = phase.compareAndSet(Phase.WAITING, Phase.DROPPED);
        if (dropped) {
            boolean _ = cellmates.scheduler().withdraw(this);
            work.drop();
        }
        if (dropped || running != null) {
            Thread.ofVirtual().name("finish").start(() -> complete(why));
        }
    }

    /// The host gave it up.
    void cancel() {
        cancelled = true;
        end(new Outcome.Killed("cancelled"));
    }

    /// KeyboardInterrupt now, and the end if it is not heeded.
    void interrupt() {
        Interpreter running = interpreter;
        if (running == null) {
            end(new Outcome.Killed("interrupted before it began"));
            return;
        }
        synchronized (this) {
            if (atDeadline == null) {
                atDeadline = new Outcome.Killed(
                        "did not heed the interrupt in " + Limits.INTERRUPT_GRACE.toMillis() + " ms");
                deadlineNanos = System.nanoTime() + Limits.INTERRUPT_GRACE.toNanos();
            }
        }
        running.interrupt();
        input.interrupt();
        interrupted = true;
    }

    @Override
    public void refuse(String why) {
        if (phase.compareAndSet(Phase.WAITING, Phase.DROPPED)) {
            work.drop();
            refuse(Status.TOO_MANY, why);
        }
    }

    /// Says that what it was to run in is gone. Any thread.
    void lose(String why) {
        if (phase.compareAndSet(Phase.WAITING, Phase.DROPPED)) {
            work.drop();
            refuse(Status.NOT_FOUND, why);
        }
    }

    private void refuse(Status status, String message) {
        if (closed.compareAndSet(false, true)) {
            output.finish(Fields.builder()
                    .number(Tag.STATUS, status.code())
                    .text(Tag.MESSAGE, message)
                    .build());
            onClose.accept(this);
        }
    }

    private void complete(Outcome outcome) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long now = System.nanoTime();
        boolean began = startNanos != 0;
        GuestScheduler.Turn current = turn;
        Interpreter used = interpreter;
        cpuNanos = began && current != null ? cpuUsed(current) : 0;
        Fields.Builder fields = Fields.builder().number(Tag.STATUS, (cancelled ? Status.CANCELLED : Status.OK).code());
        if (cancelled) {
            fields.text(Tag.MESSAGE, "cancelled by the host");
        }
        OutcomeFields.put(fields, outcome);
        fields.number(Tag.USED_WALL_MICROS, began ? micros(now - startNanos) : 0)
                .number(Tag.USED_CPU_MICROS, micros(cpuNanos))
                .number(Tag.USED_MEMORY_BYTES, used == null ? 0 : used.memoryPeakBytes())
                .number(Tag.USED_OUTPUT_BYTES, streams.bytes())
                .number(Tag.QUEUED_MICROS, micros((began ? startNanos - phaseNanos : now) - queuedNanos))
                .flag(Tag.POOLED, pooled)
                .number(Tag.PHASE_MICROS, micros(phaseNanos));
        if (work.hasState()) {
            fields.flag(Tag.CONTEXT_LOST, used != null && !keepsGoing(outcome, used));
        }
        output.finish(fields.build());
        onClose.accept(this);
        cellmates.scheduler().learn(this, outcome);
    }

    @Override
    public long tick(long now) {
        Outcome reason = null;
        Interpreter toInterrupt = null;
        long next;
        GuestScheduler.Turn current = turn;
        long cpu = current == null ? 0 : cpuUsed(current);
        if (startNanos == 0) {
            // Its interpreter is still being made: no limit counts yet.
            yieldTo(now, 0);
            return NEVER;
        }
        synchronized (this) {
            long wallEnd = startNanos + limits.wallTime().toNanos();
            if (deadlineNanos != NEVER && now >= deadlineNanos) {
                reason = atDeadline;
            } else if (!(atDeadline instanceof Outcome.TimedOut)) {
                reason = timeOut(now, wallEnd, cpu);
                if (reason != null && work.hasState()) {
                    atDeadline = reason;
                    deadlineNanos = now + HEED_NANOS;
                    reason = null;
                    toInterrupt = interpreter;
                }
            }
            next = Math.min(
                    wallEnd > now ? wallEnd - now : NEVER, deadlineNanos == NEVER ? NEVER : deadlineNanos - now);
        }
        if (reason != null) {
            end(reason);
            cellmates.watchdog().remove(this);
        } else if (toInterrupt != null) {
            toInterrupt.interrupt();
            input.interrupt();
            interrupted = true;
        }
        if (interrupted) {
            Interpreter running = interpreter;
            if (running != null) {
                running.remind();
            }
        }
        yieldTo(now, cpu);
        if (output.isOverdue(now)) {
            Thread.ofVirtual().name("push").start(output::push);
        }
        return next;
    }

    private @Nullable Outcome timeOut(long now, long wallEnd, long cpu) {
        if (now >= wallEnd) {
            return new Outcome.TimedOut(limits.wallTime(), Outcome.Clock.WALL);
        }
        Duration cpuLimit = limits.cpuTime();
        return cpu >= cpuLimit.toNanos() ? new Outcome.TimedOut(cpuLimit, Outcome.Clock.CPU) : null;
    }

    /// Makes room for others when this guest has had its share.
    private void yieldTo(long now, long cpu) {
        GuestScheduler.Turn current = turn;
        if (current == null) {
            return;
        }
        if (!demoted
                && cpu >= GuestScheduler.QUANTUM_NANOS
                && cellmates.scheduler().isContended()) {
            demoted = true;
            current.demote();
        }
        if (!shared && now - beganNanos >= GuestScheduler.PLACE_NANOS) {
            shared = true;
            current.share();
        }
    }

    private long cpuUsed(GuestScheduler.Turn of) {
        return Math.max(0, Linux.cpuNanos(of.threadId()) - cpuAtStart);
    }

    private static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(Math.max(0, nanos));
    }
}
