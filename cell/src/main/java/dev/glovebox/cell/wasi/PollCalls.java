package dev.glovebox.cell.wasi;

import dev.glovebox.cell.fs.Errno;
import dev.glovebox.cell.fs.FsError;
import dev.glovebox.core.Limits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// `poll_oneoff`: the only place where a guest waits for time. Descriptors are always ready: files never wait,
/// and a standard stream waits in its own call.
final class PollCalls {
    private static final int SUBSCRIPTIONS_MAX = 1024;
    private static final int SUBSCRIPTION_BYTES = 48;
    private static final int EVENT_BYTES = 32;

    private static final int CLOCK = 0;
    private static final int FD_READ = 1;
    private static final int FD_WRITE = 2;
    private static final int ABSOLUTE = 1;
    /// No guest lives longer, so no sleep needs to.
    private static final long SLEEP_NANOS_MAX = Limits.WALL_TIME_MAX.toNanos();

    private final Wasi wasi;
    private final GuestMemory memory;
    private final DescriptorTable descriptors;
    private final ClockCalls clocks;

    PollCalls(Wasi wasi, GuestMemory memory, DescriptorTable descriptors, ClockCalls clocks) {
        this.wasi = wasi;
        this.memory = memory;
        this.descriptors = descriptors;
        this.clocks = clocks;
    }

    /// One subscription as it stands now.
    ///
    /// @param waitNanos how long until it is due; 0 for one that is due already
    private record Subscription(long userdata, int type, Errno error, long waitNanos) {}

    void pollOneoff(int in, int out, int count, int eventCountPointer) {
        if (count <= 0 || count > SUBSCRIPTIONS_MAX) {
            throw new FsError(
                    Errno.INVAL, "invalid argument: 1 to " + SUBSCRIPTIONS_MAX + " subscriptions in one call");
        }
        memory.check(in, count * SUBSCRIPTION_BYTES);
        memory.check(out, count * EVENT_BYTES);
        memory.check(eventCountPointer, 4);
        List<Subscription> subscriptions = new ArrayList<>(count);
        long wait = SLEEP_NANOS_MAX;
        for (int i = 0; i < count; i++) {
            Subscription subscription = subscription(in + i * SUBSCRIPTION_BYTES);
            subscriptions.add(subscription);
            wait = Math.min(wait, subscription.waitNanos());
        }
        if (wait > 0) {
            wasi.sleep(wait);
        }
        int events = 0;
        for (Subscription subscription : subscriptions) {
            if (subscription.waitNanos() <= wait) {
                memory.putStruct(out + events * EVENT_BYTES, event(subscription));
                events++;
            }
        }
        memory.putInt(eventCountPointer, events);
    }

    private Subscription subscription(int pointer) {
        long userdata = memory.getLong(pointer);
        int type = memory.getByte(pointer + 8);
        try {
            long wait = switch (type) {
                case CLOCK -> waitNanos(pointer + 16);
                case FD_READ, FD_WRITE -> readyNow(memory.getInt(pointer + 16));
                default -> throw new FsError(Errno.INVAL);
            };
            return new Subscription(userdata, type, Errno.SUCCESS, wait);
        } catch (FsError error) {
            // A bad subscription is an event of its own, and the others still count.
            return new Subscription(userdata, type, error.errno(), 0);
        }
    }

    private long readyNow(int fd) {
        descriptors.get(fd).require(Rights.POLL_FD_READWRITE);
        return 0;
    }

    private long waitNanos(int pointer) {
        int clock = memory.getInt(pointer);
        if (clock != ClockCalls.REALTIME && clock != ClockCalls.MONOTONIC) {
            throw new FsError(
                    Errno.INVAL, "invalid argument: only the realtime and monotonic clocks can be waited for");
        }
        // An unsigned number: one that Java takes for negative is more than 292 years.
        long timeout = memory.getLong(pointer + 8);
        long bounded = timeout < 0 ? Long.MAX_VALUE : timeout;
        boolean absolute = (memory.getShort(pointer + 24) & ABSOLUTE) != 0;
        return Math.clamp(absolute ? bounded - clocks.now(clock) : bounded, 0, SLEEP_NANOS_MAX);
    }

    private static ByteBuffer event(Subscription subscription) {
        ByteBuffer event = GuestMemory.struct(EVENT_BYTES)
                .putLong(0, subscription.userdata())
                .putShort(8, (short) subscription.error().code())
                .put(10, (byte) subscription.type());
        boolean ready = subscription.type() != CLOCK && subscription.error() == Errno.SUCCESS;
        // `nbytes`: at least one byte can be read or written; how many more is not known.
        return event.putLong(16, ready ? 1 : 0);
    }
}
