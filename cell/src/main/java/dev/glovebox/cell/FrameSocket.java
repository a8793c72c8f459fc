package dev.glovebox.cell;

import dev.glovebox.wire.agent.Fields;
import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameDecoder;
import dev.glovebox.wire.agent.FrameType;
import dev.glovebox.wire.agent.Protocol;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// One connection to the host, as frames. [#send] is thread-safe and keeps the order of its calls; one thread
/// receives. A thread that sends must not be interrupted: the JDK would close the socket. Sending on a
/// connection that is over is passed over, because the receiving side learns of it and ends everything.
final class FrameSocket implements AutoCloseable {
    private static final int READ_BYTES = 32 * 1024;

    private final SocketChannel socket;
    private final FrameDecoder decoder = new FrameDecoder();
    private final ReentrantLock sending = new ReentrantLock();

    FrameSocket(SocketChannel socket) {
        this.socket = socket;
    }

    void send(Frame frame) {
        send(List.of(frame));
    }

    /// Sends some frames in one write.
    void send(List<Frame> frames) {
        int size = 0;
        for (Frame frame : frames) {
            size += Protocol.HEADER_BYTES + frame.payload().length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        for (Frame frame : frames) {
            Frame.putHeader(bytes, frame.type(), frame.stream(), frame.channel(), frame.payload().length);
            bytes.put(frame.payload());
        }
        bytes.flip();
        sending.lock();
        try {
            while (bytes.hasRemaining()) {
                socket.write(bytes);
            }
        } catch (IOException _) {
            close();
        } finally {
            sending.unlock();
        }
    }

    /// Hands each frame to `sink` until the connection is over.
    ///
    /// @throws dev.glovebox.wire.agent.ProtocolException if the peer sends what are no frames
    void receive(Consumer<Frame> sink) {
        ByteBuffer bytes = ByteBuffer.allocate(READ_BYTES);
        try {
            while (socket.read(bytes) >= 0) {
                decoder.decode(bytes.flip(), sink);
                bytes.clear();
            }
        } catch (IOException _) {
            // Over is over; why it is over is the host's affair.
        }
    }

    /// Tells the host why the connection ends, and ends it.
    void sayGoodbye(String message) {
        send(new Frame(
                FrameType.GOODBYE,
                0,
                Protocol.CONTROL_CHANNEL,
                Fields.builder()
                        .text(dev.glovebox.wire.agent.Tag.MESSAGE, message)
                        .build()
                        .encode()));
        close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing is left to do with it.
        }
    }
}
