package dev.glovebox.cell;

import dev.glovebox.cell.net.Connection;
import dev.glovebox.cell.net.ConnectionFailed;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A connection that a guest asked for, from the wish to its end: at first it waits for the host to open its channel
/// (OUTBOUND), then it is that channel. Thread-safe.
final class OutboundConnection implements Connection, Channel {
    private static final String BROKEN = "the connection was broken off";

    private final FrameSocket socket;
    private final Consumer<OutboundConnection> onOver;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Inbox input = new Inbox(this::grant);
    private volatile @Nullable ChannelOutput output;
    private volatile @Nullable ConnectionFailed failure;
    private volatile int number;
    private volatile boolean isWriting;
    private int waiting;
    private boolean interrupted;
    private boolean ended;
    private boolean over;

    /// @param onOver called once, when it is over
    OutboundConnection(FrameSocket socket, Consumer<OutboundConnection> onOver) {
        this.socket = socket;
        this.onOver = onOver;
    }

    // ---- from the connection's thread

    /// The host has opened its channel.
    ///
    /// @return false if nobody wants it any more
    boolean opened(int channel) {
        ChannelOutput made = new ChannelOutput(socket, channel, Runnable::run);
        lock.lock();
        try {
            if (over) {
                return false;
            }
            number = channel;
            // Before anybody can write: it stands, and then it has bytes.
            made.record(Fields.builder().flag(Tag.STARTED, true).build());
            made.drain();
            output = made;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// The host says why it is not to be, or is no more.
    void fail(ConnectionFailed why) {
        lock.lock();
        try {
            if (failure == null) {
                failure = why;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        input.close();
        ChannelOutput open = output;
        if (open != null) {
            open.seal();
        }
    }

    @Override
    public void data(int stream, byte[] bytes) {
        requireContent(stream);
        input.offer(bytes);
    }

    @Override
    public void end(int stream) {
        requireContent(stream);
        input.end();
    }

    private static void requireContent(int stream) {
        if (stream != Protocol.CONTENT) {
            throw new ProtocolException("a connection has no stream " + stream);
        }
    }

    @Override
    public void credit(int stream, int bytes) {
        ChannelOutput open = output;
        if (open != null) {
            open.grant(stream, bytes);
        }
    }

    @Override
    public void control(Fields fields) {
        fields.text(Tag.REASON)
                .ifPresent(
                        words -> fail(new ConnectionFailed(fields.text(Tag.RULE).orElse(""), words)));
    }

    @Override
    public void cancel() {
        fail(new ConnectionFailed("", BROKEN));
        finish(Status.CANCELLED);
    }

    private void grant(int bytes) {
        byte[] payload = ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array();
        sendUnlessOver(new Frame(FrameType.CREDIT, Protocol.CONTENT, number, payload));
    }

    /// Nothing follows CLOSE.
    private void sendUnlessOver(Frame frame) {
        lock.lock();
        try {
            if (!over) {
                socket.send(frame);
            }
        } finally {
            lock.unlock();
        }
    }

    int number() {
        return number;
    }

    private void finish(Status status) {
        lock.lock();
        try {
            if (over) {
                return;
            }
            over = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        input.close();
        ChannelOutput open = output;
        if (open != null) {
            Fields.Builder fields = Fields.builder().number(Tag.STATUS, status.code());
            if (status != Status.OK) {
                fields.text(Tag.MESSAGE, "cancelled by the host");
            }
            open.finish(fields.build());
        }
        onOver.accept(this);
    }

    // ---- for the guest

    @Override
    public void await(int millis) throws IOException {
        ChannelOutput _ = open(millis);
    }

    private ChannelOutput open(int millis) throws IOException {
        lock.lock();
        waiting++;
        try {
            long left = millis <= 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
            while (true) {
                checkNotFailed();
                ChannelOutput open = output;
                if (open != null) {
                    return open;
                }
                if (over) {
                    throw new ConnectionFailed("", "the connection is closed");
                }
                if (left <= 0) {
                    throw new SocketTimeoutException("timed out");
                }
                if (interrupted) {
                    throw new InterruptedIOException("interrupted");
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } finally {
            waiting--;
            interrupted = interrupted && waiting > 0;
            lock.unlock();
        }
    }

    private void checkNotFailed() throws ConnectionFailed {
        ConnectionFailed why = failure;
        if (why != null) {
            // A new one: its stack is that of whoever hears of it.
            throw new ConnectionFailed(why);
        }
    }

    @Override
    public int read(byte[] target, int offset, int length, int millis) throws IOException {
        ChannelOutput _ = open(millis);
        int count = input.read(target, offset, length, TimeUnit.MILLISECONDS.toNanos(millis));
        if (count == GuestStreams.INTERRUPTED) {
            throw new InterruptedIOException("interrupted");
        }
        if (count == Inbox.TIMED_OUT) {
            throw new SocketTimeoutException("timed out");
        }
        if (count < 0) {
            checkNotFailed();
        }
        return count;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        ChannelOutput open = open(0);
        isWriting = true;
        try {
            open.write(Protocol.CONTENT, bytes, offset, length);
            open.drain();
        } finally {
            isWriting = false;
        }
        checkNotFailed();
    }

    @Override
    public void end() throws IOException {
        ChannelOutput open = open(0);
        open.drain();
        lock.lock();
        try {
            if (ended || over) {
                return;
            }
            ended = true;
        } finally {
            lock.unlock();
        }
        sendUnlessOver(Frame.of(FrameType.END, Protocol.CONTENT, number));
    }

    @Override
    public void interrupt() {
        if (isWriting) {
            fail(new ConnectionFailed("", "interrupted while it was sending"));
        }
        lock.lock();
        try {
            interrupted = waiting > 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        input.interrupt();
    }

    @Override
    public void close() {
        finish(Status.OK);
    }
}
