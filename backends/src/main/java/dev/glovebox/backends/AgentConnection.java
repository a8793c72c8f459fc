package dev.glovebox.backends;

import dev.glovebox.core.ErrorCode;
import dev.glovebox.core.GloveboxException;
import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameDecoder;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.ProtocolException;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The host's end of one agent connection (`docs/agent-protocol.md`). A virtual thread reads and hands frames to their
/// channels; another writes, because a thread that is interrupted while it writes to a socket would close it for all.
/// Whatever breaks the protocol ends the connection. Thread-safe.
final class AgentConnection implements AutoCloseable {
    private static final int READ_BYTES = 64 * 1024;
    /// Buffers gathered into one write.
    private static final int GATHER_MAX = 64;
    /// About what a socket takes at once. Of a write of more than that the JVM would copy the rest in vain, again and
    /// again: it copies all of it to where the kernel may read before it asks the kernel how much it takes.
    private static final int GATHER_BYTES = 256 * 1024;
    /// From here on a payload goes out from where it lies, and is not copied behind its header.
    private static final int WHOLE_BYTES_MIN = 4 * 1024;
    /// Frames that wait to be written. DATA waits for room; more than this is an agent that does not read.
    private static final int QUEUE_MAX = 16 * 1024;
    /// From here on DATA waits: an agent can grant any credit and then not read.
    private static final int QUEUE_BYTES_MAX = 1024 * 1024;
    /// How long an agent may read nothing while DATA waits for it.
    private static final Duration STALL_MAX = Duration.ofSeconds(30);
    /// A longer PING would let an agent fill the queue with its own bytes.
    private static final int PING_BYTES_MAX = 64;
    /// What follows an OPEN frame goes in records of this size.
    private static final int MORE_BYTES = 1024 * 1024;

    /// Bytes to be written.
    ///
    /// @param written is run when they are; not if the connection ends before
    private record Outgoing(ByteBuffer bytes, Runnable written) {
        private Outgoing(ByteBuffer bytes) {
            this(bytes, () -> {});
        }
    }

    private final SocketChannel socket;
    private final Duration stallMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition written = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final ArrayDeque<Outgoing> outgoing = new ArrayDeque<>();
    private final Map<Integer, AgentChannel> channels = new HashMap<>();
    /// Channels that we gave up and whose CLOSE is still to come.
    private final Set<Integer> abandoned = new HashSet<>();
    /// What is done when the agent has closed a channel.
    private final Map<Integer, Runnable> afterClose = new HashMap<>();

    private long outgoingBytes;
    private @Nullable Consumer<String> onLost;
    private int lastChannel;
    private boolean closing;
    private boolean unexpected;
    private String lostReason = "";

    AgentConnection(SocketChannel socket) {
        this(socket, STALL_MAX);
    }

    /// For tests, which do not wait as long for an agent that does not read.
    AgentConnection(SocketChannel socket, Duration stallMax) {
        this.socket = socket;
        this.stallMax = stallMax;
    }

    /// Begins to read and write. `name` is for thread dumps.
    ///
    /// @param decoder has consumed the greeting and nothing more
    void start(String name, IoThreads threads, FrameDecoder decoder) {
        threads.start(name + "-read", () -> readLoop(decoder));
        threads.start(name + "-write", this::writeLoop);
    }

    /// Whether it has ended.
    boolean isLost() {
        lock.lock();
        try {
            return !lostReason.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /// Runs `action` once with the reason when the connection ends without [#close()]; at once if it has.
    void onLost(Consumer<String> action) {
        String reason;
        lock.lock();
        try {
            if (lostReason.isEmpty()) {
                onLost = action;
                return;
            }
            if (!unexpected) {
                return;
            }
            reason = lostReason;
        } finally {
            lock.unlock();
        }
        action.accept(reason);
    }

    /// Opens a channel with a request. Fields that do not fit in one frame follow as records.
    ///
    /// @param patience how long the agent may take none of them
    AgentChannel open(RequestKind kind, Fields fields, Duration patience) throws InterruptedException {
        byte[] encoded = fields.encode();
        boolean shared = fields.flag(Tag.SHARED);
        if (encoded.length <= Protocol.PAYLOAD_BYTES_MAX) {
            return register(kind, encoded, shared);
        }
        AgentChannel channel =
                register(kind, Fields.builder().flag(Tag.MORE, true).build().encode(), shared);
        try {
            for (Fields part : fields.split(MORE_BYTES)) {
                byte[] content = part.encode();
                ByteBuffer record =
                        ByteBuffer.allocate(Integer.BYTES + content.length).putInt(content.length);
                record.put(content);
                channel.write(Protocol.RECORDS, record.array(), record.capacity(), patience);
            }
            channel.end(Protocol.RECORDS);
            return channel;
        } catch (RuntimeException | InterruptedException failure) {
            channel.close();
            throw failure;
        }
    }

    /// Takes the next number and says OPEN in one step, so that the agent sees the numbers ascend.
    private AgentChannel register(RequestKind kind, byte[] payload, boolean shared) {
        lock.lock();
        try {
            checkAlive();
            if (channels.size() + abandoned.size() >= Protocol.CHANNELS_MAX) {
                throw new GloveboxException(
                        ErrorCode.QUOTA_EXCEEDED,
                        "this sandbox has " + Protocol.CHANNELS_MAX + " requests under way, the bound: wait for one");
            }
            do {
                lastChannel = lastChannel == Integer.MAX_VALUE ? 1 : lastChannel + 1;
            } while (channels.containsKey(lastChannel) || abandoned.contains(lastChannel));
            AgentChannel channel = new AgentChannel(this, lastChannel, shared);
            channels.put(lastChannel, channel);
            enqueue(new Frame(FrameType.OPEN, kind.code(), lastChannel, payload));
            return channel;
        } finally {
            lock.unlock();
        }
    }

    /// Queues a frame for the writer; never waits.
    ///
    /// @throws GloveboxException BACKEND_LOST if the connection has ended
    void send(Frame frame) {
        if (!offer(frame)) {
            lock.lock();
            try {
                checkAlive();
            } finally {
                lock.unlock();
            }
        }
    }

    /// As [#send], but says false if the connection has ended.
    boolean offer(Frame frame) {
        lock.lock();
        try {
            if (!lostReason.isEmpty()) {
                return false;
            }
            if (outgoing.size() < QUEUE_MAX) {
                enqueue(frame);
                return true;
            }
        } finally {
            lock.unlock();
        }
        lose("its agent does not read what it is sent");
        return false;
    }

    /// Queues a frame of DATA; waits while much is queued already.
    ///
    /// @throws GloveboxException BACKEND_LOST if the connection has ended
    void sendData(Frame frame) throws InterruptedException {
        sendData(() -> enqueue(frame));
    }

    /// The same for a whole frame, header and payload, in a buffer that is the caller's again when it is written.
    void sendData(ByteBuffer frame, Runnable whenWritten) throws InterruptedException {
        sendData(() -> {
            outgoingBytes += frame.remaining();
            outgoing.add(new Outgoing(frame, whenWritten));
            written.signal();
        });
    }

    private void sendData(Runnable enqueue) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = stallMax.toNanos();
            while (outgoingBytes >= QUEUE_BYTES_MAX && lostReason.isEmpty() && rest > 0) {
                rest = room.awaitNanos(rest);
            }
            checkAlive();
            if (outgoingBytes < QUEUE_BYTES_MAX) {
                enqueue.run();
                return;
            }
        } finally {
            lock.unlock();
        }
        lose("its agent does not read what it is sent");
        throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: its agent does not read");
    }

    private void enqueue(Frame frame) {
        if (frame.payload().length < WHOLE_BYTES_MIN) {
            outgoing.add(new Outgoing(frame.encode()));
        } else {
            outgoing.add(new Outgoing(frame.encodeHeader()));
            outgoing.add(new Outgoing(ByteBuffer.wrap(frame.payload())));
        }
        outgoingBytes += Protocol.HEADER_BYTES + frame.payload().length;
        written.signal();
    }

    /// Gives a channel up. If the agent has not closed it, it is told to, and its CLOSE is still to come.
    void abandon(AgentChannel channel) {
        boolean open;
        lock.lock();
        try {
            open = channels.remove(channel.number()) != null && lostReason.isEmpty();
            if (open) {
                abandoned.add(channel.number());
            }
        } finally {
            lock.unlock();
        }
        if (open) {
            offer(Frame.of(FrameType.CANCEL, 0, channel.number()));
        }
    }

    /// Runs `action` once when the agent has closed a channel, and so uses nothing any more that it had for it, or the
    /// connection has ended; at once if so it is. There is one for each channel.
    void whenClosed(AgentChannel channel, Runnable action) {
        int number = channel.number();
        lock.lock();
        try {
            if (channels.containsKey(number) || abandoned.contains(number)) {
                afterClose.put(number, action);
                return;
            }
        } finally {
            lock.unlock();
        }
        action.run();
    }

    private void closed(int number) {
        Runnable action;
        lock.lock();
        try {
            action = afterClose.remove(number);
        } finally {
            lock.unlock();
        }
        if (action != null) {
            action.run();
        }
    }

    private void checkAlive() {
        if (!lostReason.isEmpty()) {
            throw new GloveboxException(ErrorCode.BACKEND_LOST, "the sandbox is gone: " + lostReason);
        }
    }

    private void writeLoop() {
        try {
            while (true) {
                List<Outgoing> batch = nextBatch();
                if (batch.isEmpty()) {
                    return;
                }
                ByteBuffer[] bytes = batch.stream().map(Outgoing::bytes).toArray(ByteBuffer[]::new);
                while (bytes[bytes.length - 1].hasRemaining()) {
                    socket.write(bytes);
                }
                batch.forEach(each -> each.written.run());
            }
        } catch (IOException _) {
            lose("its connection broke");
        }
    }

    /// What to write next; nothing at the end.
    private List<Outgoing> nextBatch() {
        lock.lock();
        try {
            while (outgoing.isEmpty() && lostReason.isEmpty()) {
                written.awaitUninterruptibly();
            }
            List<Outgoing> batch = new ArrayList<>();
            int length = 0;
            while (!outgoing.isEmpty() && batch.size() < GATHER_MAX && length < GATHER_BYTES) {
                Outgoing next = outgoing.remove();
                length += next.bytes.remaining();
                batch.add(next);
            }
            outgoingBytes -= length;
            room.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private void readLoop(FrameDecoder decoder) {
        // Direct: else the JVM reads into one that is, and copies.
        ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
        try {
            while (socket.read(buffer) >= 0) {
                decoder.decode(buffer.flip(), this::dispatch);
                buffer.clear();
            }
            lose("its agent ended");
        } catch (ProtocolException broken) {
            lose("its agent broke the protocol: " + broken.getMessage());
        } catch (IOException _) {
            lose("its connection broke");
        } finally {
            // A reader that ends for any other reason must not leave a connection that nobody reads.
            lose("its connection broke");
        }
    }

    private void dispatch(Frame frame) {
        if (frame.channel() == Protocol.CONTROL_CHANNEL) {
            dispatchControl(frame);
            return;
        }
        AgentChannel channel = find(frame);
        if (frame.type() == FrameType.CLOSE) {
            closed(frame.channel());
        }
        if (channel != null) {
            channel.accept(frame);
        }
    }

    private void dispatchControl(Frame frame) {
        switch (frame.type()) {
            case PING -> {
                if (frame.payload().length > PING_BYTES_MAX) {
                    throw new ProtocolException("a PING of " + frame.payload().length + " bytes is too long");
                }
                offer(new Frame(FrameType.PONG, 0, Protocol.CONTROL_CHANNEL, frame.payload()));
            }
            case PONG -> {}
            case GOODBYE -> throw new ProtocolException("the agent said goodbye");
            default -> throw new ProtocolException("an agent does not send " + frame.type() + " on channel 0");
        }
    }

    /// The channel of a frame; null for one that we gave up before the agent knew. A channel that the agent closes is
    /// not open any more: whatever else comes on it breaks the protocol.
    private @Nullable AgentChannel find(Frame frame) {
        boolean closes = frame.type() == FrameType.CLOSE;
        lock.lock();
        try {
            AgentChannel channel = closes ? channels.remove(frame.channel()) : channels.get(frame.channel());
            if (channel != null) {
                return channel;
            }
            boolean known = closes ? abandoned.remove(frame.channel()) : abandoned.contains(frame.channel());
            if (!known) {
                throw new ProtocolException("channel " + frame.channel() + " is not open");
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void lose(String reason) {
        List<AgentChannel> orphans;
        List<Runnable> left;
        Consumer<String> action;
        lock.lock();
        try {
            if (!lostReason.isEmpty()) {
                return;
            }
            lostReason = reason;
            unexpected = !closing;
            action = unexpected ? onLost : null;
            orphans = new ArrayList<>(channels.values());
            channels.clear();
            abandoned.clear();
            left = new ArrayList<>(afterClose.values());
            afterClose.clear();
            outgoing.clear();
            outgoingBytes = 0;
            written.signal();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        closeSocket();
        left.forEach(Runnable::run);
        orphans.forEach(channel -> channel.lose(reason));
        if (action != null) {
            // On a thread of its own: who loses a connection may hold locks that the action wants.
            Thread.ofVirtual().name("agent-lost").start(() -> action.accept(reason));
        }
    }

    /// Ends the connection, and with it the sandbox behind it. Requests under way end as lost. Idempotent.
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
        } finally {
            lock.unlock();
        }
        lose("it was ended");
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException _) {
            // There is nothing left to lose: the descriptor is gone either way.
        }
    }
}
