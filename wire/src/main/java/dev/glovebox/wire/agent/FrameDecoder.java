package dev.glovebox.wire.agent;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// Turns a stream of bytes, cut anywhere, into frames. It checks every length before it allocates and holds at most one
/// frame. Not thread-safe: one decoder belongs to the one thread that reads the stream.
public final class FrameDecoder {
    private final ByteBuffer header = ByteBuffer.allocate(Protocol.HEADER_BYTES);
    private byte[] payload = {};
    private int payloadFilled;
    private FrameType type = FrameType.PING;
    private int stream;
    private int channel;
    private boolean inPayload;

    /// Consumes all of `bytes` and hands each frame that it completes to `sink`, in order.
    ///
    /// @throws ProtocolException if the bytes cannot be frames; the decoder is of no use afterwards
    public void decode(ByteBuffer bytes, Consumer<Frame> sink) {
        while (bytes.hasRemaining()) {
            if (!inPayload && !readHeader(bytes)) {
                return;
            }
            int taken = Math.min(bytes.remaining(), payload.length - payloadFilled);
            bytes.get(payload, payloadFilled, taken);
            payloadFilled += taken;
            if (payloadFilled == payload.length) {
                inPayload = false;
                sink.accept(new Frame(type, stream, channel, payload));
            }
        }
    }

    /// Whether the stream may end here: not in the middle of a frame.
    public boolean isBetweenFrames() {
        return !inPayload && header.position() == 0;
    }

    private boolean readHeader(ByteBuffer bytes) {
        while (header.hasRemaining() && bytes.hasRemaining()) {
            header.put(bytes.get());
        }
        if (header.hasRemaining()) {
            return false;
        }
        header.flip();
        int length = header.getInt();
        int code = header.get() & 0xff;
        int flags = header.get() & 0xff;
        stream = header.getShort() & 0xffff;
        channel = header.getInt();
        header.clear();
        if (length < 0 || length > Protocol.PAYLOAD_BYTES_MAX) {
            throw new ProtocolException("a frame announces " + Integer.toUnsignedString(length)
                    + " bytes; the bound is " + Protocol.PAYLOAD_BYTES_MAX);
        }
        type = FrameType.ofCode(code);
        if (flags != 0) {
            throw new ProtocolException("frame flags " + flags + " are not defined");
        }
        if (channel < 0) {
            throw new ProtocolException("channel " + Integer.toUnsignedString(channel) + " is out of range");
        }
        payload = new byte[length];
        payloadFilled = 0;
        inPayload = true;
        return true;
    }
}
