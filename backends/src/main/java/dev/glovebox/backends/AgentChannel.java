package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.Tag;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// One request on an [AgentConnection], as the host sees it: what the agent sends is queued here until the thread that
/// made the request takes it. The agent's credit bounds the queue; an agent that overdraws it has broken the protocol.
///
/// One thread takes; any thread may write and control.
final class AgentChannel implements AutoCloseable {
    /// Credit is given back in steps, so that a chatty guest does not cost a frame per frame.
    private static final int GRANT_STEP_BYTES = Protocol.INITIAL_CREDIT_BYTES / 4;

    private final AgentConnection connection;
    private final int number;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition credited = lock.newCondition();
    private final ArrayDeque<Frame> queue = new ArrayDeque<>();
    private final long[] agentCredit = new long[Protocol.STREAMS_MAX];
    private final long[] consumed = new long[Protocol.STREAMS_MAX];
    private final long[] ourCredit = new long[Protocol.STREAMS_MAX];
    private boolean closedByAgent;
    private String lostReason = "";

    AgentChannel(AgentConnection connection, int number) {
        this.connection = connection;
        this.number = number;
        java.util.Arrays.fill(agentCredit, Protocol.INITIAL_CREDIT_BYTES);
        java.util.Arrays.fill(ourCredit, Protocol.INITIAL_CREDIT_BYTES);
    }

    int number() {
        return number;
    }

    // ---- from the connection's reader

    /// Takes in a frame of this channel. Called by the reader only; never blocks.
    void accept(Frame frame) {
        lock.lock();
        try {
            switch (frame.type()) {
                case DATA -> acceptData(frame);
                case END -> queue.add(frame);
                case CLOSE -> {
                    queue.add(frame);
                    closedByAgent = true;
                    credited.signalAll();
                }
                case CREDIT -> acceptCredit(frame);
                default -> throw new ProtocolException("an agent does not send " + frame.type() + " on a channel");
            }
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    private void acceptData(Frame frame) {
        checkStream(frame.stream());
        agentCredit[frame.stream()] -= frame.payload().length;
        if (frame.payload().length == 0 || agentCredit[frame.stream()] < 0) {
            throw new ProtocolException("the agent sent more than its credit on stream " + frame.stream());
        }
        queue.add(frame);
    }

    private void acceptCredit(Frame frame) {
        checkStream(frame.stream());
        if (frame.payload().length != Integer.BYTES) {
            throw new ProtocolException("a CREDIT frame has " + frame.payload().length + " bytes, not 4");
        }
        int grant = ByteBuffer.wrap(frame.payload()).getInt();
        long sum = ourCredit[frame.stream()] + grant;
        if (grant < 1 || sum > Protocol.CREDIT_BYTES_MAX) {
            throw new ProtocolException("a CREDIT of " + Integer.toUnsignedString(grant) + " bytes is out of range");
        }
        ourCredit[frame.stream()] = sum;
        credited.signalAll();
    }

    private static void checkStream(int stream) {
        if (stream >= Protocol.STREAMS_MAX) {
            throw new ProtocolException("stream " + stream + " does not exist");
        }
    }

    /// The connection is gone.
    void lose(String reason) {
        lock.lock();
        try {
            lostReason = reason;
            arrived.signalAll();
            credited.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- for the thread that made the request

    /// The next frame (DATA, END or CLOSE); empty if none came in time.
    ///
    /// @throws GloveboxException BACKEND_LOST if the connection ended
    Optional<Frame> take(Duration atMost) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = atMost.toNanos();
            while (queue.isEmpty()) {
                if (!lostReason.isEmpty()) {
                    throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + lostReason);
                }
                if (rest <= 0) {
                    return Optional.empty();
                }
                rest = arrived.awaitNanos(rest);
            }
            return Optional.of(queue.remove());
        } finally {
            lock.unlock();
        }
    }

    /// Tells the agent, when it is worth a frame, that bytes of a stream have been taken care of.
    void consumed(int stream, int bytes) {
        long grant = 0;
        lock.lock();
        try {
            consumed[stream] += bytes;
            if (consumed[stream] >= GRANT_STEP_BYTES && !closedByAgent) {
                grant = consumed[stream];
                consumed[stream] = 0;
                agentCredit[stream] += grant;
            }
        } finally {
            lock.unlock();
        }
        if (grant > 0) {
            byte[] payload =
                    ByteBuffer.allocate(Integer.BYTES).putInt((int) grant).array();
            connection.send(new Frame(FrameType.CREDIT, stream, number, payload));
        }
    }

    /// Sends bytes of a stream as the agent grants credit for them. Returns early if the agent has closed the channel.
    void write(int stream, byte[] bytes, int length) throws InterruptedException {
        int sent = 0;
        while (sent < length) {
            int part = Math.min(length - sent, Protocol.PAYLOAD_BYTES_MAX);
            part = takeCredit(stream, part);
            if (part == 0) {
                return;
            }
            byte[] payload = java.util.Arrays.copyOfRange(bytes, sent, sent + part);
            connection.send(new Frame(FrameType.DATA, stream, number, payload));
            sent += part;
        }
    }

    private int takeCredit(int stream, int wanted) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (ourCredit[stream] == 0 && !closedByAgent) {
                if (!lostReason.isEmpty()) {
                    throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + lostReason);
                }
                credited.await();
            }
            int part = closedByAgent ? 0 : (int) Math.min(wanted, ourCredit[stream]);
            ourCredit[stream] -= part;
            return part;
        } finally {
            lock.unlock();
        }
    }

    void end(int stream) {
        connection.send(Frame.of(FrameType.END, stream, number));
    }

    void control(Fields fields) {
        connection.send(new Frame(FrameType.CONTROL, 0, number, fields.encode()));
    }

    /// Asks the process or execution on this channel to stop.
    void interrupt() {
        control(Fields.builder().flag(Tag.INTERRUPT, true).build());
    }

    void cancel() {
        connection.send(Frame.of(FrameType.CANCEL, 0, number));
    }

    /// Forgets the channel; if the agent has not closed it, it is told to give the request up.
    @Override
    public void close() {
        boolean open;
        lock.lock();
        try {
            open = !closedByAgent && lostReason.isEmpty();
        } finally {
            lock.unlock();
        }
        if (open) {
            cancel();
        }
        connection.forget(this, open);
    }
}
