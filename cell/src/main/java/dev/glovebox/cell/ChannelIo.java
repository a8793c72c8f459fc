package dev.glovebox.cell;

import dev.glovebox.wire.agent.Frame;
import dev.glovebox.wire.agent.FrameType;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// One channel's two directions: what the host sends, and the way back.
record ChannelIo(FrameSocket socket, int channel, Inbox input) {

    /// @param stream the stream of the host whose bytes `input` holds
    static ChannelIo open(FrameSocket socket, int channel, int stream) {
        return new ChannelIo(socket, channel, new Inbox(bytes -> grant(socket, channel, stream, bytes)));
    }

    static void grant(FrameSocket socket, int channel, int stream, int bytes) {
        byte[] payload = ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array();
        socket.send(new Frame(FrameType.CREDIT, stream, channel, payload));
    }

    ChannelOutput output(Consumer<Runnable> waiting) {
        return new ChannelOutput(socket, channel, waiting);
    }
}
