package dev.glovebox.egress;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Cuts a connection on which nothing has moved for too long. Called off by [#close], so that it does not keep what is
/// over. Thread-safe.
final class IdleWatch implements AutoCloseable {
    private final Timers timers;
    private final Duration most;
    private final LongSupplier lastMove;
    private final GuestConnection.Carried watched;
    private Timers.@Nullable Timer timer;
    private boolean isOver;

    private IdleWatch(Timers timers, Duration most, LongSupplier lastMove, GuestConnection.Carried watched) {
        this.timers = timers;
        this.most = most;
        this.lastMove = lastMove;
        this.watched = watched;
    }

    /// Begins.
    ///
    /// @param lastMove when something moved, in nanoseconds
    static IdleWatch start(Timers timers, Duration most, LongSupplier lastMove, GuestConnection.Carried watched) {
        IdleWatch watch = new IdleWatch(timers, most, lastMove, watched);
        watch.look();
        return watch;
    }

    private void look() {
        Duration idle = Duration.ofNanos(System.nanoTime() - lastMove.getAsLong());
        if (idle.compareTo(most) >= 0) {
            watched.cut("limit.idle", "no byte was moved for " + most.toSeconds() + " s");
            return;
        }
        synchronized (this) {
            if (!isOver) {
                timer = timers.after(most.minus(idle), this::look);
            }
        }
    }

    @Override
    public synchronized void close() {
        isOver = true;
        if (timer != null) {
            timer.close();
        }
    }
}
