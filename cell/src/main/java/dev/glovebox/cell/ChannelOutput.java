package dev.glovebox.cell;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// What one channel sends to the host: gathered into few frames, in the order in which it was produced, never
/// beyond the credit, and never beyond the output limit. The guest's thread writes and may wait; other threads
/// grant credit, push what has waited long enough, seal and finish. Thread-safe.
final class ChannelOutput {
    /// Gathered output is sent when it is this much, or this old.
    private static final int GATHERED_BYTES_MAX = 32 * 1024;

    private static final long GATHERED_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int NO_STREAM = -1;

    private final FrameSocket socket;
    private final int channel;
    private final Consumer<Runnable> waiting;
    private final Credit[] credits = {null, new Credit(), new Credit(), new Credit(), new Credit()};
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final List<Frame> ready = new ArrayList<>();
    private final byte[] gathered = new byte[GATHERED_BYTES_MAX];
    private int gatheredBytes;
    private int gatheredStream = NO_STREAM;
    private boolean finished;

    private volatile long oldestNanos;
    private volatile boolean isWaitingToBeSent;
    private volatile boolean sealed;

    /// @param waiting runs an action that may block for long, so that the guest does not hold a processor
    /// meanwhile
    ChannelOutput(FrameSocket socket, int channel, Consumer<Runnable> waiting) {
        this.socket = socket;
        this.channel = channel;
        this.waiting = waiting;
    }

    /// Takes bytes of a stream, and waits where the host reads more slowly than the guest writes.
    void write(int stream, byte[] bytes, int offset, int length) {
        lock.lock();
        try {
            int done = 0;
            while (done < length && !sealed) {
                if (gatheredStream != stream || gatheredBytes == gathered.length) {
                    cut(true);
                    gatheredStream = stream;
                }
                int taken = Math.min(length - done, gathered.length - gatheredBytes);
                System.arraycopy(bytes, offset + done, gathered, gatheredBytes, taken);
                gatheredBytes += taken;
                done += taken;
                mark();
                if (gatheredBytes == gathered.length) {
                    cut(true);
                    sendReady();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /// Adds one record to the record stream.
    void record(Fields fields) {
        byte[] content = fields.encode();
        byte[] record = ByteBuffer.allocate(Integer.BYTES + content.length)
                .putInt(content.length)
                .put(content)
                .array();
        write(Protocol.RECORDS, record, 0, record.length);
    }

    /// Sends all that was taken, and waits for the credit that it needs.
    void drain() {
        lock.lock();
        try {
            cut(true);
            sendReady();
        } finally {
            lock.unlock();
        }
    }

    /// Whether something has waited long enough for [#push()]. Any thread, cheap.
    boolean isOverdue(long nowNanos) {
        return isWaitingToBeSent && nowNanos - oldestNanos >= GATHERED_NANOS_MAX;
    }

    /// Sends what credit allows, unless the guest is at it anyway.
    void push() {
        if (lock.tryLock()) {
            try {
                if (!finished) {
                    cut(false);
                    sendReady();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    void grant(int stream, int bytes) {
        Credit credit = stream < credits.length ? credits[stream] : null;
        if (credit == null) {
            throw new dev.glovebox.wire.agent.ProtocolException("credit for stream " + stream);
        }
        credit.add(bytes);
    }

    /// From here on nothing more is taken, and a guest that waits is let go.
    void seal() {
        sealed = true;
        for (Credit credit : credits) {
            if (credit != null) {
                credit.close();
            }
        }
    }

    /// Sends what is left and credit allows, then CLOSE. Later calls do nothing.
    void finish(Fields close) {
        sealed = true;
        lock.lock();
        try {
            if (finished) {
                return;
            }
            finished = true;
            cut(false);
            ready.add(new Frame(FrameType.CLOSE, 0, channel, close.encode()));
            sendReady();
        } finally {
            lock.unlock();
            seal();
        }
    }

    private void mark() {
        if (!isWaitingToBeSent) {
            oldestNanos = System.nanoTime();
            isWaitingToBeSent = true;
        }
    }

    private void sendReady() {
        if (!ready.isEmpty()) {
            socket.send(ready);
            ready.clear();
        }
        isWaitingToBeSent = gatheredBytes > 0;
    }

    /// Turns what is gathered into frames, as far as there is credit; if `mayWait`, to the last byte.
    private void cut(boolean mayWait) {
        if (gatheredStream == NO_STREAM) {
            return;
        }
        Credit credit = credits[gatheredStream];
        int done = 0;
        while (done < gatheredBytes) {
            int taken = credit == null ? 0 : credit.tryTake(gatheredBytes - done);
            if (taken > 0) {
                byte[] payload = Arrays.copyOfRange(gathered, done, done + taken);
                ready.add(new Frame(FrameType.DATA, gatheredStream, channel, payload));
                done += taken;
            } else if (mayWait && !sealed && credit != null) {
                sendReady();
                waiting.accept(credit::await);
            } else {
                break;
            }
        }
        System.arraycopy(gathered, done, gathered, 0, gatheredBytes - done);
        gatheredBytes -= done;
        if (sealed) {
            gatheredBytes = 0;
        }
    }
}
