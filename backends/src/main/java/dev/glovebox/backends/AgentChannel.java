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
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One request on an [AgentConnection], as the host sees it: what the agent sends is kept here until the thread that
/// made the request takes it. The agent's credit bounds it; an agent that overdraws it has broken the protocol.
///
/// One thread takes; any thread may write, control and close. No thread holds this lock and the connection's.
final class AgentChannel implements AutoCloseable {
    /// Credit is given back in steps, so that a chatty guest does not cost a frame per frame.
    private static final int GRANT_STEP_BYTES = Protocol.INITIAL_CREDIT_BYTES / 4;
    /// More credit for bulk, once some has come, and fewer frames about it: each costs the agent a turn.
    private static final int WIDER_BYTES = 768 * 1024;

    private static final int WIDE_GRANT_STEP_BYTES = 256 * 1024;
    /// Of no stream is the END waited for.
    private static final int NO_STREAM = -1;

    private final AgentConnection connection;
    private final int number;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition credited = lock.newCondition();
    private final Backlog backlog = new Backlog();
    private final long[] agentCredit = new long[Protocol.STREAMS_MAX];
    private final boolean[] agentEnded = new boolean[Protocol.STREAMS_MAX];
    private final boolean[] endTaken = new boolean[Protocol.STREAMS_MAX];
    private final long[] consumed = new long[Protocol.STREAMS_MAX];
    private final long[] ourCredit = new long[Protocol.STREAMS_MAX];
    /// The agent's CLOSE; the last frame of the channel.
    private @Nullable Frame end;
    /// Nobody will take anything more.
    private boolean forgotten;
    /// The stream of many bytes, if there is one.
    private int bulk = NO_STREAM;
    private boolean wide;
    /// Whether the agent shares its content, instead of sending it.
    private final boolean shared;
    /// Where the agent's next bytes must lie in the lane, and how many before them nobody has taken yet.
    private int sharedEnd;

    private int sharedWaiting;

    private String lostReason = "";

    AgentChannel(AgentConnection connection, int number, boolean shared) {
        this.connection = connection;
        this.number = number;
        this.shared = shared;
        Arrays.fill(agentCredit, Protocol.INITIAL_CREDIT_BYTES);
        Arrays.fill(ourCredit, Protocol.INITIAL_CREDIT_BYTES);
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
                case SHARED -> acceptShared(frame);
                case END -> acceptEnd(frame);
                case CLOSE -> {
                    end = frame;
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
        if (isShared(frame.stream())) {
            throw new ProtocolException("the agent sent what it was asked to share");
        }
        count(frame, frame.payload().length);
        backlog.add(frame.stream(), frame.payload());
    }

    /// Only how many there are is kept: the agent may share each byte on its own.
    private void acceptShared(Frame frame) {
        if (!isShared(frame.stream())) {
            throw new ProtocolException("the agent shares on stream " + frame.stream() + " what nobody asked it to");
        }
        if (frame.payload().length != Lane.Place.BYTES) {
            throw new ProtocolException("a SHARED frame has " + frame.payload().length + " bytes, not 8");
        }
        Lane.Place place = Lane.Place.decode(ByteBuffer.wrap(frame.payload()));
        if (place.position() != sharedEnd) {
            throw new ProtocolException("the agent shares from " + place.position() + " on, not from " + sharedEnd);
        }
        count(frame, place.length());
        sharedEnd = place.end();
        sharedWaiting += place.length();
    }

    /// The oldest bytes in the lane, as many as lie there in one piece.
    private Frame takeShared() {
        int position = Math.floorMod(sharedEnd - sharedWaiting, Protocol.LANE_BYTES);
        int length = Math.min(sharedWaiting, Math.min(Lane.PART_BYTES, Protocol.LANE_BYTES - position));
        sharedWaiting -= length;
        return new Frame(FrameType.DATA, Protocol.CONTENT, number, new Lane.Place(position, length).encode());
    }

    private void count(Frame frame, int length) {
        int stream = frame.stream();
        agentCredit[stream] -= length;
        if (length == 0 || agentCredit[stream] < 0) {
            throw new ProtocolException("the agent sent nothing or more than its credit on stream " + stream);
        }
        if (agentEnded[stream]) {
            throw new ProtocolException("the agent sent bytes after the end of stream " + stream);
        }
    }

    private boolean isShared(int stream) {
        return shared && stream == Protocol.CONTENT;
    }

    /// Only a connection to a port waits for it ([#takeOrEnd]): CLOSE ends every stream.
    private void acceptEnd(Frame frame) {
        checkStream(frame.stream());
        if (agentEnded[frame.stream()] || frame.payload().length > 0) {
            throw new ProtocolException("an END of stream " + frame.stream() + " comes once and has no bytes");
        }
        agentEnded[frame.stream()] = true;
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

    /// The next frame, DATA or at last CLOSE; empty if none came in time.
    ///
    /// @throws GloveboxException BACKEND_LOST if the connection ended
    Optional<Frame> take(Duration atMost) throws InterruptedException {
        return takeOrEnd(NO_STREAM, atMost);
    }

    /// As [#take], and once the END of a stream, behind its bytes. Empty also when another thread closes the channel
    /// here.
    Optional<Frame> takeOrEnd(int stream, Duration atMost) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = atMost.toNanos();
            while (backlog.isEmpty() && sharedWaiting == 0 && end == null && !mayTakeEnd(stream)) {
                checkNotLost();
                if (rest <= 0 || forgotten) {
                    return Optional.empty();
                }
                rest = arrived.awaitNanos(rest);
            }
            if (!backlog.isEmpty()) {
                Backlog.Part part = backlog.remove();
                return Optional.of(new Frame(FrameType.DATA, part.stream(), number, part.bytes()));
            }
            if (sharedWaiting > 0) {
                return Optional.of(takeShared());
            }
            if (mayTakeEnd(stream)) {
                endTaken[stream] = true;
                return Optional.of(Frame.of(FrameType.END, stream, number));
            }
            return Optional.ofNullable(end);
        } finally {
            lock.unlock();
        }
    }

    private boolean mayTakeEnd(int stream) {
        return stream != NO_STREAM && agentEnded[stream] && !endTaken[stream];
    }

    private void checkNotLost() {
        if (!lostReason.isEmpty()) {
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + lostReason);
        }
    }

    /// Many bytes will come on a stream: the agent may be further ahead with them.
    void expectBulk(int stream) {
        lock.lock();
        try {
            bulk = stream;
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
            if (consumed[stream] >= grantStep(stream) && end == null) {
                grant = consumed[stream];
                consumed[stream] = 0;
                if (stream == bulk && !wide) {
                    wide = true;
                    grant += shared ? Protocol.LANE_BYTES - Protocol.INITIAL_CREDIT_BYTES : WIDER_BYTES;
                }
                agentCredit[stream] += grant;
            }
        } finally {
            lock.unlock();
        }
        if (grant > 0) {
            byte[] payload =
                    ByteBuffer.allocate(Integer.BYTES).putInt((int) grant).array();
            // Quietly: if the connection is lost, what arrived before that is still worth taking.
            connection.offer(new Frame(FrameType.CREDIT, stream, number, payload));
        }
    }

    private int grantStep(int stream) {
        if (!wide || stream != bulk) {
            return GRANT_STEP_BYTES;
        }
        return shared ? Lane.PART_BYTES : WIDE_GRANT_STEP_BYTES;
    }

    /// Sends bytes of a stream as the agent grants credit for them.
    ///
    /// @param patience how long the agent may grant nothing
    /// @return false if the channel was closed meanwhile, so that nobody wants the rest
    /// @throws ProtocolException if it granted nothing for longer
    boolean write(int stream, byte[] bytes, int length, Duration patience) throws InterruptedException {
        int sent = 0;
        while (sent < length) {
            int part = takeCredit(stream, Math.min(length - sent, Protocol.PAYLOAD_BYTES_MAX), patience);
            if (part == 0) {
                return false;
            }
            byte[] payload = Arrays.copyOfRange(bytes, sent, sent + part);
            connection.sendData(new Frame(FrameType.DATA, stream, number, payload));
            sent += part;
        }
        return true;
    }

    /// As [#write], but of a frame whose payload is there already and that the caller gives away: it is not copied if
    /// there is credit for all of it.
    boolean give(int stream, FrameBuffer frame, Duration patience) throws InterruptedException {
        int part = takeCredit(stream, frame.length(), patience);
        if (part == frame.length()) {
            connection.sendData(frame.finished(FrameType.DATA, stream, number), frame::release);
            return true;
        }
        byte[] payload = frame.copy();
        frame.release();
        if (part == 0) {
            return false;
        }
        connection.sendData(new Frame(FrameType.DATA, stream, number, Arrays.copyOf(payload, part)));
        byte[] rest = Arrays.copyOfRange(payload, part, payload.length);
        return write(stream, rest, rest.length, patience);
    }

    /// Says that bytes of a stream lie in the lane. Their credit was taken before.
    void share(int stream, Lane.Place place) throws InterruptedException {
        connection.sendData(new Frame(FrameType.SHARED, stream, number, place.encode()));
    }

    /// Takes credit for at least one byte of a stream and at most `wanted`; 0 if the channel was closed meanwhile.
    ///
    /// @param patience how long the agent may grant nothing
    int takeCredit(int stream, int wanted, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = patience.toNanos();
            while (ourCredit[stream] == 0 && end == null && !forgotten) {
                checkNotLost();
                if (rest <= 0) {
                    throw new ProtocolException("the agent took nothing in for " + patience.toSeconds() + " s");
                }
                rest = credited.awaitNanos(rest);
            }
            if (end != null || forgotten) {
                return 0;
            }
            int part = (int) Math.min(wanted, ourCredit[stream]);
            ourCredit[stream] -= part;
            return part;
        } finally {
            lock.unlock();
        }
    }

    /// Gives credit back that was taken and not used.
    void returnCredit(int stream, int bytes) {
        lock.lock();
        try {
            ourCredit[stream] += bytes;
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

    /// Runs `action` once when the agent has closed the channel, even if it was forgotten before; at once if it has.
    void whenClosed(Runnable action) {
        connection.whenClosed(this, action);
    }

    /// Forgets the channel; if the agent has not closed it, it is told to give the request up. Who waits in [#write]
    /// waits no longer. Idempotent.
    @Override
    public void close() {
        lock.lock();
        try {
            forgotten = true;
            credited.signalAll();
            arrived.signalAll();
        } finally {
            lock.unlock();
        }
        connection.abandon(this);
    }
}
