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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// The host's end of one agent connection (`docs/agent-protocol.md`). A virtual thread reads and hands frames to their
/// channels; another writes, because a thread that is interrupted while it writes to a socket would close it for all.
/// Whatever breaks the protocol ends the connection. Thread-safe.
final class AgentConnection implements AutoCloseable {
    private static final int READ_BYTES = 64 * 1024;
    /// Frames gathered into one write.
    private static final int GATHER_MAX = 64;
    /// Frames that wait to be written. DATA is bounded by credit; more than this is an agent that does not read.
    private static final int QUEUE_MAX = 16 * 1024;

    private final SocketChannel socket;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition written = lock.newCondition();
    private final ArrayDeque<ByteBuffer> outgoing = new ArrayDeque<>();
    private final Map<Integer, AgentChannel> channels = new HashMap<>();
    /// Channels that we gave up and whose CLOSE is still to come.
    private final Map<Integer, Boolean> abandoned = new HashMap<>();

    private Consumer<String> onLost = _ -> {};
    private int lastChannel;
    private boolean closing;
    private String lostReason = "";

    AgentConnection(SocketChannel socket) {
        this.socket = socket;
    }

    /// Begins to read and write. `name` is for thread dumps.
    ///
    /// @param decoder has consumed the greeting and nothing more
    void start(String name, FrameDecoder decoder) {
        Thread.ofVirtual().name(name + "-read").start(() -> readLoop(decoder));
        Thread.ofVirtual().name(name + "-write").start(this::writeLoop);
    }

    /// Runs `action` with the reason when the connection ends without [#close()]; at once if it has.
    void onLost(Consumer<String> action) {
        String reason;
        lock.lock();
        try {
            onLost = action;
            reason = lostReason;
        } finally {
            lock.unlock();
        }
        if (!reason.isEmpty()) {
            action.accept(reason);
        }
    }

    /// Opens a channel with a request. Fields that do not fit in one frame follow as records.
    AgentChannel open(RequestKind kind, Fields fields) throws InterruptedException {
        byte[] encoded = fields.encode();
        boolean more = encoded.length > Protocol.PAYLOAD_BYTES_MAX;
        byte[] payload = more ? Fields.builder().flag(Tag.MORE, true).build().encode() : encoded;
        AgentChannel channel = register();
        send(new Frame(FrameType.OPEN, kind.code(), channel.number(), payload));
        if (more) {
            byte[] length =
                    ByteBuffer.allocate(Integer.BYTES).putInt(encoded.length).array();
            channel.write(Protocol.RECORDS, length, length.length);
            channel.write(Protocol.RECORDS, encoded, encoded.length);
            channel.end(Protocol.RECORDS);
        }
        return channel;
    }

    private AgentChannel register() {
        lock.lock();
        try {
            checkAlive();
            if (channels.size() + abandoned.size() >= Protocol.CHANNELS_MAX) {
                throw new GloveboxException(
                        ErrorCode.QUOTA_EXCEEDED,
                        "this sandbox has " + Protocol.CHANNELS_MAX + " requests under way, the bound: wait for one");
            }
            lastChannel = lastChannel == Integer.MAX_VALUE ? 1 : lastChannel + 1;
            AgentChannel channel = new AgentChannel(this, lastChannel);
            channels.put(lastChannel, channel);
            return channel;
        } finally {
            lock.unlock();
        }
    }

    /// Queues a frame for the writer.
    ///
    /// @throws GloveboxException BACKEND_LOST if the connection has ended
    void send(Frame frame) {
        ByteBuffer bytes = frame.encode();
        lock.lock();
        try {
            checkAlive();
            if (outgoing.size() >= QUEUE_MAX) {
                throw new GloveboxException(ErrorCode.BACKEND_LOST, "the agent does not read what it is sent");
            }
            outgoing.add(bytes);
            written.signal();
        } finally {
            lock.unlock();
        }
    }

    /// @param awaitsClose whether the agent still has to say CLOSE
    void forget(AgentChannel channel, boolean awaitsClose) {
        lock.lock();
        try {
            channels.remove(channel.number());
            if (awaitsClose && lostReason.isEmpty()) {
                abandoned.put(channel.number(), true);
            }
        } finally {
            lock.unlock();
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
                ByteBuffer[] batch = nextBatch();
                if (batch.length == 0) {
                    return;
                }
                while (batch[batch.length - 1].hasRemaining()) {
                    socket.write(batch);
                }
            }
        } catch (IOException _) {
            lose("its connection broke");
        }
    }

    private ByteBuffer[] nextBatch() {
        lock.lock();
        try {
            while (outgoing.isEmpty() && !closing && lostReason.isEmpty()) {
                written.awaitUninterruptibly();
            }
            List<ByteBuffer> batch = new ArrayList<>();
            while (!outgoing.isEmpty() && batch.size() < GATHER_MAX) {
                batch.add(outgoing.remove());
            }
            return batch.toArray(ByteBuffer[]::new);
        } finally {
            lock.unlock();
        }
    }

    private void readLoop(FrameDecoder decoder) {
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
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
        }
    }

    private void dispatch(Frame frame) {
        if (frame.channel() == Protocol.CONTROL_CHANNEL) {
            switch (frame.type()) {
                case PING -> send(new Frame(FrameType.PONG, 0, 0, frame.payload()));
                case PONG -> {}
                case GOODBYE -> throw new ProtocolException("the agent said goodbye");
                default -> throw new ProtocolException("an agent does not send " + frame.type() + " on channel 0");
            }
            return;
        }
        AgentChannel channel = find(frame);
        if (channel != null) {
            channel.accept(frame);
        }
    }

    /// The channel of a frame; null for one that we gave up before the agent knew.
    private @org.jspecify.annotations.Nullable AgentChannel find(Frame frame) {
        lock.lock();
        try {
            AgentChannel channel = channels.get(frame.channel());
            if (channel != null) {
                return channel;
            }
            boolean known = frame.type() == FrameType.CLOSE
                    ? abandoned.remove(frame.channel()) != null
                    : abandoned.containsKey(frame.channel());
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
        Consumer<String> action;
        boolean unexpected;
        lock.lock();
        try {
            if (!lostReason.isEmpty()) {
                return;
            }
            lostReason = reason;
            unexpected = !closing;
            action = onLost;
            orphans = new ArrayList<>(channels.values());
            channels.clear();
            outgoing.clear();
            written.signal();
        } finally {
            lock.unlock();
        }
        closeSocket();
        orphans.forEach(channel -> channel.lose(reason));
        if (unexpected) {
            action.accept(reason);
        }
    }

    /// Ends the connection, and with it the sandbox behind it. Requests under way end as lost.
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            written.signal();
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
