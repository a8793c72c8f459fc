package dev.glovebox.backends;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameDecoder;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import dev.glovebox.wire.agent.RequestKind;
import dev.glovebox.wire.agent.Status;
import dev.glovebox.wire.agent.Tag;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// An agent that does what a test tells it to, honest or not: a socket, and frames by hand. For one thread.
final class ScriptedAgent implements AutoCloseable {
    private final SocketChannel socket;
    private final FrameDecoder decoder = new FrameDecoder();
    private final Deque<Frame> received = new ArrayDeque<>();

    private ScriptedAgent(SocketChannel socket) {
        this.socket = socket;
    }

    static ScriptedAgent connect(Path path) throws IOException {
        return new ScriptedAgent(SocketChannel.open(UnixDomainSocketAddress.of(path)));
    }

    /// A HELLO as an honest agent says it.
    static Frame hello(byte[] token) {
        return onConnection(
                FrameType.HELLO,
                Fields.builder()
                        .number(Tag.VERSION, Protocol.VERSION)
                        .bytes(Tag.TOKEN, token)
                        .text(Tag.AGENT, "scripted")
                        .build());
    }

    static Frame onConnection(FrameType type, Fields fields) {
        return new Frame(type, 0, Protocol.CONTROL_CHANNEL, fields.encode());
    }

    static Frame data(int channel, int stream, byte[] bytes) {
        return new Frame(FrameType.DATA, stream, channel, bytes);
    }

    static Frame data(int channel, int stream, String text) {
        return data(channel, stream, text.getBytes(StandardCharsets.UTF_8));
    }

    static Frame shared(int channel, int position, int length) {
        return new Frame(
                FrameType.SHARED,
                Protocol.CONTENT,
                channel,
                ByteBuffer.allocate(2 * Integer.BYTES)
                        .putInt(position)
                        .putInt(length)
                        .array());
    }

    static Frame credit(int channel, int stream, int bytes) {
        return new Frame(
                FrameType.CREDIT,
                stream,
                channel,
                ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array());
    }

    static Frame close(int channel, Fields fields) {
        return new Frame(FrameType.CLOSE, 0, channel, fields.encode());
    }

    /// The CLOSE of a request that went well, before further fields.
    static Fields.Builder ok() {
        return Fields.builder().number(Tag.STATUS, Status.OK.code());
    }

    /// The CLOSE of a process or execution that ended by itself.
    static Fields.Builder exited(int code) {
        return ok().number(Tag.OUTCOME, 1).number(Tag.EXIT_CODE, code);
    }

    /// The bytes of a record: its length and its fields.
    static byte[] record(Fields fields) {
        byte[] content = fields.encode();
        return ByteBuffer.allocate(Integer.BYTES + content.length)
                .putInt(content.length)
                .put(content)
                .array();
    }

    static Frame started(int channel) {
        return data(
                channel,
                Protocol.RECORDS,
                record(Fields.builder()
                        .flag(Tag.STARTED, true)
                        .number(Tag.PROCESS_ID, 1)
                        .build()));
    }

    void send(Frame... frames) {
        for (Frame frame : frames) {
            sendBytes(frame.encode());
        }
    }

    void sendBytes(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                socket.write(bytes);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// As [#send], until the host closes the connection.
    boolean trySend(Frame frame) {
        try {
            send(frame);
            return true;
        } catch (UncheckedIOException _) {
            return false;
        }
    }

    /// The next frame. Fails if the host ends the connection instead.
    Frame receive() {
        Frame frame = next();
        if (frame == null) {
            throw new AssertionError("the host ended the connection");
        }
        return frame;
    }

    Frame receive(FrameType type) {
        Frame frame = receive();
        if (frame.type() != type) {
            throw new AssertionError("got " + frame.type() + " on channel " + frame.channel() + " instead of " + type);
        }
        return frame;
    }

    /// The next frame, which opens a request of this kind.
    Frame receiveOpen(RequestKind kind) {
        Frame open = receive(FrameType.OPEN);
        if (open.stream() != kind.code()) {
            throw new AssertionError("got a request of kind " + open.stream() + " instead of " + kind);
        }
        return open;
    }

    /// The next frame; empty when the host ends the connection.
    Optional<Frame> tryReceive() {
        return Optional.ofNullable(next());
    }

    /// Reads until the host ends the connection.
    void awaitEnd() {
        while (next() != null) {
            received.clear();
        }
    }

    private @org.jspecify.annotations.Nullable Frame next() {
        ByteBuffer buffer = ByteBuffer.allocate(Protocol.PAYLOAD_BYTES_MAX);
        try {
            while (received.isEmpty()) {
                buffer.clear();
                if (socket.read(buffer) < 0) {
                    return null;
                }
                decoder.decode(buffer.flip(), received::add);
            }
            return received.remove();
        } catch (IOException reset) {
            if (socket.isOpen()) {
                return null;
            }
            throw new UncheckedIOException(reset);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
