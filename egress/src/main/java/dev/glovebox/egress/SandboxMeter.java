package dev.glovebox.egress;

import dev.glovebox.core.Limits;
import dev.glovebox.core.egress.NetworkLimits;
import java.util.concurrent.atomic.AtomicLong;

/// Counts what a sandbox sends and receives, and holds it to its limits. Thread-safe.
final class SandboxMeter {
    private static final int BURSTS = 4;
    /// A direction that is held back goes on when it may move this much: not for every byte.
    private static final long WORTH_WAKING_FOR = 16 * 1024;

    /// Which way bytes go.
    enum Way {
        /// From the sandbox.
        OUT,
        /// To it.
        IN
    }

    private final TokenBucket connections;
    private final TokenBucket out;
    private final TokenBucket in;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final Pool.Share held;
    private volatile NetworkLimits limits;

    /// @param held of what all sandboxes may hold together
    SandboxMeter(NetworkLimits limits, Pool held) {
        this.limits = limits;
        this.held = held.share(Limits.EGRESS_HELD_BYTES_MAX);
        double rate = limits.connectionsPerSecond();
        connections = new TokenBucket(rate, BURSTS * rate, System::nanoTime);
        double bytes = limits.bytesPerSecond();
        out = new TokenBucket(bytes, bytes, System::nanoTime);
        in = new TokenBucket(bytes, bytes, System::nanoTime);
    }

    void change(NetworkLimits next) {
        limits = next;
        connections.change(next.connectionsPerSecond(), (double) BURSTS * next.connectionsPerSecond());
        double bytes = next.bytesPerSecond();
        out.change(bytes, bytes);
        in.change(bytes, bytes);
    }

    NetworkLimits limits() {
        return limits;
    }

    /// Whether another connection may begin now.
    boolean tryConnect() {
        return connections.tryTake();
    }

    /// How many bytes may be moved now, at most those wanted; what is then not moved is given back.
    long allow(Way way, long wanted) {
        return limits.bytesPerSecond() == 0 ? wanted : bucket(way).take(wanted);
    }

    void giveBack(Way way, long bytes) {
        if (limits.bytesPerSecond() != 0 && bytes > 0) {
            bucket(way).giveBack(bytes);
        }
    }

    /// How long a direction waits before it asks again.
    long nanosUntilAllowed(Way way) {
        return limits.bytesPerSecond() == 0 ? 0 : bucket(way).nanosUntil(WORTH_WAKING_FOR);
    }

    void moved(Way way, long bytes) {
        (way == Way.OUT ? sent : received).addAndGet(bytes);
    }

    /// Whether the sandbox has used up all bytes that it had for its life.
    boolean isUsedUp() {
        long most = limits.bytes();
        return most != 0 && sent.get() + received.get() > most;
    }

    long sent() {
        return sent.get();
    }

    long received() {
        return received.get();
    }

    /// Whether bytes that cannot be passed on yet may be kept in large pieces.
    boolean mayHold() {
        return held.fits(1);
    }

    /// Counts what is kept; negative when it is let go.
    void holds(long bytes) {
        held.add(bytes);
    }

    private TokenBucket bucket(Way way) {
        return way == Way.OUT ? out : in;
    }
}
