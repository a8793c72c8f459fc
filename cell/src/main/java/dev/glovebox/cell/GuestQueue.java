package dev.glovebox.cell;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The guests that wait for a place, and whose turn it is. Who came less than [#PATIENCE_NANOS] ago is a
/// *newcomer*: most are short, and soon gone. The others are *patient*: they came in a burst, of which nobody
/// knows what it is made of. So are programs known as endless. Not thread-safe: [GuestScheduler] guards
/// it.
final class GuestQueue {
    /// How long a guest is a newcomer.
    static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /// How long a place rests when a patient guest turned out to be a long one, while there is a crowd of them.
    /// So a burst of long guests starts at a pace, and a burst of short ones, which bring about no rest, as fast
    /// as it can.
    static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private record Waiting(GuestScheduler.Task task, long sinceNanos) {
        @SuppressWarnings("ReferenceEquality") // tasks are things, not values
        boolean isOf(GuestScheduler.Task other) {
            return task == other;
        }

        boolean hasWaited(long nowNanos, long nanos) {
            return nowNanos - sinceNanos >= nanos;
        }
    }

    /// @param isPatient whether it took the turn of the patient
    record Next(GuestScheduler.Task task, boolean isPatient) {}

    private final int places;
    // Both in the order in which they came.
    private final Deque<Waiting> newcomers = new ArrayDeque<>();
    private final Deque<Waiting> patient = new ArrayDeque<>();
    private boolean isResting;
    private long restUntilNanos;
    private boolean lastWasPatient;
    private boolean fromTheBack;

    GuestQueue(int places) {
        this.places = places;
    }

    int size() {
        return newcomers.size() + patient.size();
    }

    void add(GuestScheduler.Task task, long nowNanos, boolean isEndless) {
        (isEndless ? patient : newcomers).addLast(new Waiting(task, nowNanos));
    }

    boolean remove(GuestScheduler.Task task) {
        return newcomers.removeIf(one -> one.isOf(task)) || patient.removeIf(one -> one.isOf(task));
    }

    /// Takes out what has waited for so long.
    List<GuestScheduler.Task> removeLate(long nowNanos, long maxNanos) {
        List<GuestScheduler.Task> late = new ArrayList<>();
        for (Deque<Waiting> line : List.of(newcomers, patient)) {
            line.removeIf(one -> one.hasWaited(nowNanos, maxNanos) && late.add(one.task));
        }
        return late;
    }

    List<GuestScheduler.Task> removeAll() {
        return removeLate(0, Long.MIN_VALUE);
    }

    /// Takes out who gets a free place: of the newcomers the newest, if more guests wait than there are places,
    /// so that a short one need not wait for all of a burst before it; else the oldest.
    ///
    /// @return null if nobody waits
    @Nullable
    Next next(long nowNanos) {
        grow(nowNanos);
        boolean isBurst = size() > places;
        Waiting newcomer = isBurst ? newcomers.pollLast() : newcomers.pollFirst();
        if (newcomer != null) {
            return new Next(newcomer.task, false);
        }
        Waiting one = patient.pollFirst();
        return one == null ? null : new Next(one.task, true);
    }

    /// Takes out who gets a free place while as many long guests compute as keep all processors busy. One place
    /// is for newcomers only; of the others the patient have the first choice, unless the place rests. If there
    /// is one place only, they take turns.
    ///
    /// @param takenByPatient how many places the patient have
    /// @return null if the place stays free
    @Nullable
    Next nextBesideCrowd(long nowNanos, int takenByPatient) {
        grow(nowNanos);
        boolean mayBePatient = places == 1 ? !(lastWasPatient && !newcomers.isEmpty()) : takenByPatient < places - 1;
        if (mayBePatient && !isResting(nowNanos) && !patient.isEmpty()) {
            lastWasPatient = true;
            return new Next((fromTheBack ? patient.removeLast() : patient.removeFirst()).task, true);
        }
        Waiting newcomer = newcomers.pollLast();
        lastWasPatient &= newcomer == null;
        return newcomer == null ? null : new Next(newcomer.task, false);
    }

    /// Takes out the patient one that came first; null if there is none.
    GuestScheduler.@Nullable Task nextPatient(long nowNanos) {
        grow(nowNanos);
        Waiting one = patient.pollFirst();
        return one == null ? null : one.task;
    }

    /// A patient guest turned out to be a long one. The next one is taken from the other end of the line: where it
    /// was taken from, more long ones may stand, and at the other end short ones.
    void rest(long nowNanos) {
        fromTheBack = !fromTheBack;
        isResting = true;
        restUntilNanos = nowNanos + REST_NANOS;
    }

    private boolean isResting(long nowNanos) {
        isResting &= nowNanos - restUntilNanos < 0;
        return isResting;
    }

    private void grow(long nowNanos) {
        for (Waiting oldest = newcomers.peekFirst();
                oldest != null && oldest.hasWaited(nowNanos, PATIENCE_NANOS);
                oldest = newcomers.peekFirst()) {
            patient.addLast(newcomers.removeFirst());
        }
    }
}
