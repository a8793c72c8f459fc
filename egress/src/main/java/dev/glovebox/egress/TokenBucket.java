package dev.glovebox.egress;

import java.util.function.LongSupplier;

/// So much per second on average, with a burst of what was saved up. Thread-safe.
final class TokenBucket {
    private static final double NANOS = 1e9;

    private final LongSupplier nanoTime;
    private double perSecond;
    private double burst;
    private double saved;
    private long last;

    TokenBucket(double perSecond, double burst, LongSupplier nanoTime) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.nanoTime = nanoTime;
        saved = burst;
        last = nanoTime.getAsLong();
    }

    /// Other bounds from now on; what is saved stays, as far as it fits.
    synchronized void change(double newPerSecond, double newBurst) {
        refill();
        perSecond = newPerSecond;
        burst = newBurst;
        saved = Math.min(saved, burst);
    }

    /// Takes as much as there is, at most what is wanted; 0 if there is less than one.
    synchronized long take(long wanted) {
        refill();
        long taken = Math.min(wanted, (long) saved);
        saved -= (double) taken;
        return taken;
    }

    boolean tryTake() {
        return take(1) == 1;
    }

    synchronized void giveBack(long amount) {
        saved = Math.min(burst, saved + (double) amount);
    }

    /// Until so much is there, from now.
    synchronized long nanosUntil(long amount) {
        refill();
        double missing = Math.min((double) amount, burst) - saved;
        return missing <= 0 ? 0 : (long) Math.ceil(missing / perSecond * NANOS);
    }

    private void refill() {
        long now = nanoTime.getAsLong();
        saved = Math.min(burst, saved + (now - last) / NANOS * perSecond);
        last = now;
    }
}
