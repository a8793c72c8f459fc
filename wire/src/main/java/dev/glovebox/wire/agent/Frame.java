package dev.glovebox.wire.agent;

import java.nio.ByteBuffer;

/// One frame. `stream` is the stream of a DATA, END or CREDIT frame, the [RequestKind] of an OPEN frame, else 0.
/// `channel` is an unsigned 31-bit number chosen by the host; 0 is the connection itself. The payload is read-only
/// by agreement: whoever makes a frame gives its array away.
public record Frame(FrameType type, int stream, int channel, byte[] payload) {
    private static final byte[] NOTHING = {};

    public Frame {
        if (payload.length > Protocol.PAYLOAD_BYTES_MAX) {
            throw new ProtocolException("a payload of " + payload.length + " bytes is longer than the bound of "
                    + Protocol.PAYLOAD_BYTES_MAX);
        }
        if (stream < 0 || stream > 0xffff || channel < 0) {
            throw new ProtocolException("stream " + stream + " or channel " + channel + " is out of range");
        }
    }

    public static Frame of(FrameType type, int stream, int channel) {
        return new Frame(type, stream, channel, NOTHING);
    }

    /// The bytes of this frame, ready to send.
    public ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(Protocol.HEADER_BYTES + payload.length);
        putHeader(bytes, type, stream, channel, payload.length);
        return bytes.put(payload).flip();
    }

    /// The header of this frame, ready to send; the payload must follow.
    public ByteBuffer encodeHeader() {
        ByteBuffer bytes = ByteBuffer.allocate(Protocol.HEADER_BYTES);
        putHeader(bytes, type, stream, channel, payload.length);
        return bytes.flip();
    }

    /// Writes a frame's header; `length` payload bytes must follow.
    public static void putHeader(ByteBuffer target, FrameType type, int stream, int channel, int length) {
        target.putInt(length)
                .put((byte) type.code())
                .put((byte) 0)
                .putShort((short) stream)
                .putInt(channel);
    }
}
